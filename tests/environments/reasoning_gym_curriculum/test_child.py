"""The process that works with reasoning-gym: late scorers, hostile answers, other versions."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from reasoning_gym_curriculum import child
from reasoning_gym_curriculum.child import ReproducibilityError
from reasoning_gym_curriculum.confined import Made, Where
from reasoning_gym_curriculum.rubric import Grade, grade

SLOW = "9**(999*999*999)"


def task(family: str) -> tuple[Where, Made]:
    (made, *_) = child.make(family, 1, 0, 0, 5)
    return (family, 1, 0, made.number), made


async def test_a_scorer_that_never_ends_earns_nothing_and_the_next_answer_is_scored() -> None:
    where, made = task("countdown")
    begun = time.monotonic()
    late, scored = await asyncio.gather(
        child.score(where, made.question, SLOW),
        child.score(where, made.question, str(made.answer)),
    )
    assert (late, scored) == (None, 1.0)
    assert time.monotonic() - begun > child.SCORING_SECONDS
    assert await grade(SLOW, made.question, where) == Grade(0.0, 1.0)


@pytest.mark.parametrize("family", ["spiral_matrix", "string_insertion", "countdown"])
async def test_an_answer_that_is_a_program_is_not_run(family: str, tmp_path: Path) -> None:
    where, made = task(family)
    harm = tmp_path / "harm"
    for answer in (f"[open({str(harm)!r}, 'w')]", f"__import__('os').mkdir({str(harm)!r})"):
        earned = await child.score(where, made.question, answer)
        assert earned is not None
        assert earned < 0.1
    assert not harm.exists()


async def test_a_process_that_was_killed_is_replaced() -> None:
    where, made = task("chain_sum")
    assert await child.score(where, made.question, str(made.answer)) == 1.0
    for pid in children():
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(ReproducibilityError):
        await child.score(where, made.question, str(made.answer))
    assert await child.score(where, made.question, str(made.answer)) == 1.0


def children() -> list[int]:
    """The processes of this one that work with reasoning-gym."""
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    found = [int(pid) for pid in listed if b"reasoning_gym" in command(int(pid))]
    if not found:  # started by another thread
        tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        listed = [pid for file in tasks for pid in file.read_text().split()]
        found = [int(pid) for pid in listed if b"reasoning_gym" in command(int(pid))]
    return found


def command(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


async def test_another_task_at_the_same_place_is_an_error_and_no_failure() -> None:
    where, made = task("chain_sum")
    with pytest.raises(ReproducibilityError, match="the same version of reasoning-gym"):
        await child.score(where, "Another question?", str(made.answer))


def test_the_same_tasks_in_every_process_whatever_was_made_before() -> None:
    code = (
        "from reasoning_gym_curriculum.child import make\n"
        "import sys\n"
        "for family in sys.argv[1:]: make(family, 2, 0, 0, 2)\n"
        "print([make(f, 1, 0, 0, 2) for f in ('codeio', 'list_functions', 'decimal_chain_sum')])"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", code, *before], capture_output=True, text=True)
        for before in ((), ("codeio", "decimal_arithmetic", "decimal_chain_sum"))
    )
    assert first.stdout.startswith("[[Made("), first.stderr
    assert first.stdout == second.stdout


def test_the_process_ends_with_its_parent_even_while_it_is_busy() -> None:
    code = (
        "import asyncio\n"
        "from reasoning_gym_curriculum import child\n"
        "(made, *_) = child.make('countdown', 1, 0, 0, 5)\n"
        "where = ('countdown', 1, 0, made.number)\n"
        "child._submit('question', *where, seconds=9).result()\n"
        f"child._submit('score', *where, {SLOW!r}, seconds=3)\n"
        "print(child._child_of(__import__('os').getpid())._process._popen.pid, flush=True)\n"
        "__import__('time').sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    time.sleep(0.3)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and running(pid):
        time.sleep(0.1)
    assert not running(pid)


def running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
