"""Records of the public datasets' schemas, written here: read, solved, and failed."""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from code_curriculum.dataset import dataset_rows, open_source, read_problems
from code_curriculum.problem import Problem
from code_curriculum.schemas import SCHEMAS
from code_curriculum.schemas.livecodebench import private
from code_curriculum.schemas.mbpp import called
from verifiers.v1.runtimes import provision_runtime

from curriculum_env import ConfigError, PoolError, run_tests

ADD = "def add(a, b):\n    return a + b\n"
SUM = "print(sum(map(int, input().split())))\n"
METHOD = "class Solution:\n    def add(self, a, b):\n        return a + b\n"


def packed(tests: Any) -> str:
    """As LiveCodeBench packs its private tests."""
    text = pickle.dumps(json.dumps(tests))
    return base64.b64encode(zlib.compress(text)).decode()


def entry(given: str, expected: str, kind: str) -> dict[str, str]:
    return {"input": given, "output": expected, "testtype": kind}


MBPP = {
    "task_id": 1,
    "text": "Write a function to add two numbers.",
    "code": ADD,
    "test_list": ["assert add(1, 2) == 3", "assert math.isclose(add(.1, .2), .3)"],
    "test_setup_code": "import math",
    "challenge_test_list": [],
}
SANITIZED = {
    "task_id": 2,
    "prompt": "Write a function to add two numbers.",
    "code": ADD,
    "test_list": ["assert set([add(1, 2)]) == {3}"],
    "test_imports": ["import math"],
}
HUMANEVAL = {
    "task_id": "Own/0",
    "prompt": "def helper(x):\n    return x + 1\n\n\n"
    'def add(a: int, b: int) -> int:\n    """Add."""\n',
    "canonical_solution": "    return a + b\n",
    "test": "def check(candidate):\n    for n in range(5):\n"
    "        assert candidate(n, 1) == helper(n)\n",
    "entry_point": "add",
}
TACO = {
    "problem": "Add two numbers.",
    "tests": json.dumps({"inputs": ["1 2\n", ["3 4"]], "outputs": ["3\n", ["7"]]}),
    "solutions": [f"```python\n{SUM}```"],
}
TACO_FUNCTION = {
    "problem": "Add two numbers.",
    "tests": json.dumps({"inputs": [[1, 2]], "outputs": [[3]], "fn_name": "add"}),
    "solutions": [METHOD],
}
PRIME = {
    "problem": "Add two numbers.",
    "tests": json.dumps([{"type": "stdin_stdout", "input": "1 2", "output": "3", "fn_name": None}]),
    "solutions": [SUM],
}
LCBV5 = {
    "problem": "Add two numbers.",
    "starter_code": "class Solution:\n    def add(self, a, b):",
    "metadata": {"func_name": "add"},
    "tests": json.dumps([entry("1\n2", "3", "functional")]),
    "solutions": [METHOD],
}
LIVE = {
    "question_id": "1",
    "question_content": "Add two numbers.",
    "platform": "own",
    "difficulty": "easy",
    "starter_code": "",
    "public_test_cases": json.dumps([entry("1 2\n", "3\n", "stdin")]),
    "private_test_cases": packed([entry("5 6\n", "11\n", "stdin")]),
    "metadata": "{}",
}
LIVE_FUNCTION = {
    **LIVE,
    "starter_code": "class Solution:\n    def add(self, a: int, b: int) -> int:",
    "public_test_cases": json.dumps([entry("1\n2", "3", "functional")]),
    "private_test_cases": json.dumps([entry("[1]\n[2, 3]", "[1, 2, 3]", "functional")]),
    "metadata": json.dumps({"func_name": "add"}),
}

RECORDS = [
    ("mbpp", MBPP, 2, ADD),
    ("mbpp", SANITIZED, 1, ADD),
    ("humaneval", HUMANEVAL, 1, ADD),
    ("deepcoder", TACO, 2, SUM),
    ("deepcoder", TACO_FUNCTION, 1, METHOD),
    ("deepcoder", PRIME, 1, SUM),
    ("deepcoder", LCBV5, 1, METHOD),
    ("livecodebench", LIVE, 2, SUM),
    ("livecodebench", LIVE_FUNCTION, 2, METHOD),
]


@pytest.fixture
async def runtime() -> AsyncIterator[Any]:
    async with provision_runtime(vf.SubprocessConfig()) as running:
        yield running


@pytest.mark.parametrize(("schema", "record", "count", "code"), RECORDS)
async def test_a_record_is_read_solved_and_failed(
    runtime: Any, schema: str, record: dict[str, Any], count: int, code: str
) -> None:
    problem = SCHEMAS[schema].read(record)
    assert len(problem.cases) == count
    assert "Add" in problem.question or "add" in problem.question
    for right in filter(None, (code, problem.solution)):
        assert (await run_tests(right, problem.cases, runtime)).all_passed
    wrong = code.replace("a + b", "a - b").replace("sum(", "max(")
    assert not (await run_tests(wrong, problem.cases, runtime)).all_passed


async def test_a_helper_of_the_prompt_is_the_tests_own(runtime: Any) -> None:
    """An answer that redefines what the test compares with gains nothing."""
    problem = SCHEMAS["humaneval"].read(HUMANEVAL)
    trick = "def helper(x):\n    return 0\n\n\ndef add(a, b):\n    return 0\n"
    assert not (await run_tests(trick, problem.cases, runtime)).all_passed


@pytest.mark.parametrize(
    ("test", "names"),
    [
        ("assert f(1) == 2", ["f"]),
        ("assert f(g(1)) == len([2])", ["f", "g"]),
        ("for x in [1]:\n    assert f(x) == x", ["f"]),
        ("assert all(f(n) == n for n in range(3))", ["f"]),
        ("import math\nassert math.isclose(f(1), 1)", ["f"]),
        ("assert 1 == 1", []),
    ],
)
def test_what_a_test_calls(test: str, names: list[str]) -> None:
    assert called(test, "") == names


@pytest.mark.parametrize(
    ("schema", "record"),
    [
        ("mbpp", {**MBPP, "test_list": []}),
        ("mbpp", {**MBPP, "test_list": ["assert 1 == 1"]}),
        ("mbpp", {**MBPP, "test_list": ["assert ((("]}),
        ("deepcoder", {**TACO, "tests": "[]"}),
        ("deepcoder", {**TACO, "tests": "no JSON"}),
        ("deepcoder", {**TACO, "tests": json.dumps({"inputs": ["1"], "outputs": [" \n"]})}),
        ("deepcoder", {**TACO_FUNCTION, "tests": json.dumps(
            {"inputs": ["{"], "outputs": ["3"], "fn_name": "add"})}),
        ("livecodebench", {**LIVE, "private_test_cases": "!!"}),
        ("livecodebench", {**LIVE, "public_test_cases": "{"}),
        ("livecodebench", {**LIVE, "private_test_cases": json.dumps([{"input": "1"}])}),
    ],
)  # fmt: skip
def test_a_record_without_usable_tests_is_refused(schema: str, record: dict[str, Any]) -> None:
    with pytest.raises(PoolError):
        SCHEMAS[schema].read(record)


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('loaded')",))


def test_a_pickle_that_would_run_code_is_read_not_loaded() -> None:
    text = base64.b64encode(zlib.compress(pickle.dumps(Bomb()))).decode()
    with pytest.raises(PoolError, match="hold"):
        private(text, "bomb")


def write(folder: Path, name: str, records: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def many(count: int) -> list[dict[str, Any]]:
    return [{**PRIME, "problem": f"Add two numbers, {number}."} for number in range(count)]


def test_a_file_is_split_by_content(tmp_path: Path) -> None:
    path = write(tmp_path, "problems.jsonl", [*many(200), *many(3), {"problem": "?"}])
    sides = [
        list(dataset_rows(f"deepcoder={path}", heldout=h, share=0.2, size=None, max_tests=4))
        for h in (False, True)
    ]
    uids = [{row.uid for row in side} for side in sides]
    assert sum(map(len, sides)) == len(uids[0] | uids[1]) == 200
    assert 20 <= len(uids[1]) <= 60
    again = write(tmp_path, "more.jsonl", many(300)[::-1])
    larger = dataset_rows(f"deepcoder={again}", heldout=True, share=0.2, size=None, max_tests=4)
    assert uids[1] <= {row.uid for row in larger}


def test_size_bounds_what_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "problems.jsonl", many(50))
    rows = dataset_rows(f"deepcoder={path}", heldout=False, share=0.1, size=7, max_tests=4)
    assert len(list(rows)) == 7


def test_a_file_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "problems.jsonl", [{"question": "1 + 1", "answer": "2"}])
    with pytest.raises(PoolError, match="none of the 1 records"):
        list(read_problems(f"mbpp={path}"))


def test_an_unknown_schema_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected one of mbpp, humaneval"):
        open_source("apps")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_alone_names_its_dataset(name: str) -> None:
    schema, source = open_source(name)
    assert source.data == schema.hub
    assert not source.is_file
    _, other = open_source(f"{name}=owner/dataset@test")
    assert (other.data, other.split) == ("owner/dataset", "test")


def test_a_parquet_file_is_read_by_its_columns(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "problems.parquet"
    pq.write_table(pa.Table.from_pylist([{**MBPP, "other": 1}]), path)
    (problem,) = read_problems(f"mbpp={path}")
    assert isinstance(problem, Problem)
    assert len(problem.cases) == 2
