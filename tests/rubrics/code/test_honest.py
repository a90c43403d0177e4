"""Honest answers, right and wrong, in every form of test."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from curriculum_env.errors import SandboxError
from curriculum_env.rubrics.code import (
    AssertCase,
    CallCase,
    Case,
    CodeLimits,
    ProgramCase,
    run_tests,
)

QUICK = CodeLimits(seconds=1.0)


def asserts(*tests: str, setup: str = "", names: tuple[str, ...] = ("f",)) -> list[Case]:
    return [AssertCase(test=test, setup=setup, names=list(names)) for test in tests]


RIGHT: dict[str, tuple[str, list[Case]]] = {
    "reads lines": (
        "n = int(input())\nprint(sum(int(input()) for _ in range(n)))",
        [ProgramCase(stdin="2\n3\n4\n", stdout="7\n")],
    ),
    "reads all": (
        "import sys\nprint(len(sys.stdin.read()))",
        [ProgramCase(stdin="x" * 300_000, stdout="300000")],
    ),
    "reads bytes": (
        "import sys, os\nsys.stdout.buffer.write(os.read(0, 3))",
        [ProgramCase(stdin="abc", stdout="abc")],
    ),
    "writes much": ("print('x' * 500_000)", [ProgramCase(stdin="", stdout="x" * 500_000)]),
    "writes Unicode": ("print(input()[::-1])", [ProgramCase(stdin="äß→\n", stdout="→ßä")]),
    "exits with success": (
        "import sys\nprint(1)\nsys.exit()\nprint(2)",
        [ProgramCase(stdin="", stdout="1")],
    ),
    "calls exit": ("print(1)\nexit()", [ProgramCase(stdin="", stdout="1")]),
    "writes at exit": (
        "import atexit\natexit.register(print, 1)",
        [ProgramCase(stdin="", stdout="1")],
    ),
    "main guard": (
        "def main(): print(input())\nif __name__ == '__main__': main()",
        [ProgramCase(stdin="x", stdout="x")],
    ),
    "threads with a large stack": (
        ("import sys, threading\nsys.setrecursionlimit(10**6)\nthreading.stack_size(2**26)\n"
        "def deep(n): return n and 1 + deep(n - 1)\n"
        "t = threading.Thread(target=lambda: print(deep(50_000)))\nt.start()\nt.join()"),
        [ProgramCase(stdin="", stdout="50000")],
    ),
    "uses the standard library": (
        ("import asyncio, collections, dataclasses, datetime, decimal, fractions, functools\n"
        "import heapq, hashlib, itertools, json, math, random, re, sqlite3, statistics, string\n"
        "import zlib, multiprocessing, tempfile, typing, uuid\n"
        "with tempfile.TemporaryFile() as file:\n    file.write(b'1')\n"
        "async def main(): await asyncio.sleep(0); print(1)\nasyncio.run(main())"),
        [ProgramCase(stdin="", stdout="1")],
    ),
    "starts processes": (
        ("from multiprocessing import get_context\ndef double(n): return 2 * n\n"
        "with get_context('fork').Pool(2) as pool: print(sum(pool.map(double, range(5))))"),
        [ProgramCase(stdin="", stdout="20")],
    ),
    "a function": ("def f(a, b): return a + b", [CallCase(function="f", args=[1, 2], expected=3)]),
    "a method": (
        "class Solution:\n    def f(self, items): return sorted(items)",
        [CallCase(function="f", args=[[2, 1]], expected=[1, 2])],
    ),
    "a dataclass": (
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n"
        "def f(x): return P(x).x"),
        asserts("assert f(3) == 3"),
    ),
    "prints on the way": (
        "print('loading')\ndef f(x):\n    print(x)\n    return x",
        asserts("assert f(3) == 3"),
    ),
    "keywords and sets": (
        "def f(*, items): return {i % 2 for i in items}",
        asserts("assert f(items=(1, 2, 3)) == {0, 1}"),
    ),
    "an expected exception": (
        "def f(x):\n    if x < 0: raise ValueError('negative')\n    return x",
        asserts("try:\n    f(-1)\nexcept ValueError as e:\n    assert str(e) == 'negative'\n"
                "else:\n    assert False"),
    ),
    "called many times": (
        "def f(n): return n * n",
        asserts("def check(c):\n    for n in range(300):\n        assert c(n) == n * n\ncheck(f)"),
    ),
    "called with its own results": (
        "def f(n): return n + 1",
        asserts("assert f(f(f(1))) == 4"),
    ),
    "two functions": (
        "def f(n): return n + 1\ndef g(n): return n - 1",
        asserts("assert f(g(1)) == 1", names=("f", "g")),
    ),
    "a test with helpers": (
        "def f(n): return n / 3",
        asserts("assert close(f(1), 1 / 3)", setup="from math import isclose as close"),
    ),
    "returns a generator": (
        "def f(n): yield from range(n)",
        asserts("assert list(f(3)) == [0, 1, 2]"),
    ),
    "a big number": ("def f(n): return 7 ** n", asserts("assert f(9000) == 7 ** 9000")),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
async def test_a_right_answer_passes(runtime: Any, name: str) -> None:
    source, cases = RIGHT[name]
    result = await run_tests(source, cases, runtime)
    assert result.all_passed, result


WRONG: dict[str, tuple[str, list[Case], str]] = {
    "another output": ("print(2)", [ProgramCase(stdin="", stdout="1")], "wrong"),
    "no output": ("", [ProgramCase(stdin="", stdout="1")], "wrong"),
    "right, then an error": ("print(1)\n1 / 0", [ProgramCase(stdin="", stdout="1")], "error"),
    "right, then exit code 1": ("print(1)\nexit(1)", [ProgramCase(stdin="", stdout="1")], "error"),
    "too slow": ("while True: pass", [ProgramCase(stdin="", stdout="1")], "timeout"),
    "no function": ("x = 1", [CallCase(function="f", args=[], expected=1)], "error"),
    "a syntax error": ("def f(:", [CallCase(function="f", args=[], expected=1)], "error"),
    "an exception": ("def f(): 1 / 0", [CallCase(function="f", args=[], expected=1)], "error"),
    "a wrong value": ("def f(): return 2", [CallCase(function="f", args=[], expected=1)], "wrong"),
    "an assert": ("def f(): return 2", asserts("assert f() == 1"), "wrong"),
    "an object": ("def f(): return object()", asserts("assert f() is not None"), "wrong"),
    "arguments that are no data": (
        "def f(g): return g(1)", asserts("assert f(lambda n: n) == 1"), "untestable",
    ),
    "source beyond all bounds": ("#" * 2**21, asserts("assert f() == 1"), "error"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_answer_fails_and_says_how(runtime: Any, name: str) -> None:
    source, cases, status = WRONG[name]
    result = await run_tests(source, cases, runtime, QUICK)
    assert result.all_passed == 0.0
    assert result.failure is not None
    assert result.failure.status == status


CASES: list[Case] = [CallCase(function="f", args=[n], expected=n) for n in range(4)]
THREE_OF_FOUR = "def f(n): return n if n != 1 else 0"


async def test_the_first_failure_ends_it_or_all_are_counted(runtime: Any) -> None:
    stopped = await run_tests(THREE_OF_FOUR, CASES, runtime)
    assert [v.status for v in stopped.verdicts] == ["passed", "wrong", "skipped", "skipped"]
    counted = await run_tests(THREE_OF_FOUR, CASES, runtime, stop_at_failure=False)
    assert (counted.passed, counted.fraction, counted.all_passed) == (3, 0.75, 0.0)


async def test_all_tests_together_have_a_time_limit(runtime: Any) -> None:
    limits = CodeLimits(seconds=1.0, total_seconds=1.5)
    started = time.monotonic()
    slow = "import time\ndef f(n): time.sleep(0.8); return n"
    result = await run_tests(slow, CASES, runtime, limits, stop_at_failure=False)
    assert [v.status for v in result.verdicts][2:] == ["skipped", "skipped"]
    assert time.monotonic() - started < 10


async def test_one_test_leaves_nothing_for_the_next(runtime: Any) -> None:
    """Not in memory, and a thread or a process of the first is gone."""
    source = "calls = []\ndef f(n):\n    calls.append(n)\n    return len(calls)"
    cases: list[Case] = [CallCase(function="f", args=[n], expected=1) for n in range(3)]
    assert (await run_tests(source, cases, runtime)).all_passed


async def test_many_at_a_time(runtime: Any) -> None:
    async def one(number: int) -> float:
        cases = asserts(f"assert f(1) == {number}")
        return (await run_tests(f"def f(n): return {number}", cases, runtime)).all_passed

    assert await asyncio.gather(*map(one, range(8))) == [1.0] * 8


async def test_no_tests_are_no_success(runtime: Any) -> None:
    with pytest.raises(ValueError, match="no cases"):
        await run_tests("", [], runtime)


async def test_a_missing_interpreter_is_no_verdict(runtime: Any) -> None:
    with pytest.raises(SandboxError, match="ended"):
        await run_tests("", CASES, runtime, CodeLimits(python="/nowhere/python"))
