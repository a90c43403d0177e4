"""What becomes of workers that hang, die or are not wanted any more."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from curriculum_env.errors import CheckerError, ConfigError
from curriculum_env.rubrics.math import MathChecker, default_checker

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux's /proc")


@pytest.fixture
def own() -> Iterator[MathChecker]:
    with MathChecker() as checker:
        assert checker.verify_sync("1", "1")
        yield checker


def workers(parent: int | None = None) -> set[int]:
    """The worker processes of a process, this one by default."""
    parent = parent or os.getpid()
    found = set()
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(OSError):  # threads of other tests end meanwhile
            found |= set(map(int, (task / "children").read_text().split()))
    return {pid for pid in found if is_worker(pid)}


def is_worker(pid: int) -> bool:
    try:
        return b"rubrics.math.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # ended meanwhile
        return False


def gone(pid: int) -> bool:
    """Whether a process has ended, or ends within a few seconds."""
    for _ in range(100):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return True
        time.sleep(0.1)
    return False


def test_killed_workers_are_replaced(own: MathChecker) -> None:
    before = workers()
    for _ in range(2):
        for pid in workers():
            os.kill(pid, signal.SIGKILL)
        assert [own.verify_sync("2", "2") for _ in range(4)] == [True] * 4
    assert workers()
    assert not workers() & before


def test_a_worker_that_does_nothing_any_more_is_killed(
    own: MathChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It spends no processor time, so it is found by the clock, after a minute unless changed."""
    monkeypatch.setattr("curriculum_env.rubrics.math.process._STUCK_SECONDS", 1.0)
    monkeypatch.setattr("curriculum_env.rubrics.math.process._START_SECONDS", 30.0)
    pids = workers()
    assert own.verify_sync("1", "1")
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    own.verify_sync("1", "1")
    assert any(gone(pid) for pid in pids)


def test_close_ends_the_workers() -> None:
    checker = MathChecker()
    assert checker.verify_sync("1", "1")
    pids = workers()
    checker.close()
    checker.close()
    assert all(gone(pid) for pid in pids)
    with pytest.raises(CheckerError, match="closed"):
        checker.verify_sync("1", "1")


def test_a_checker_that_was_never_used_starts_nothing() -> None:
    before = workers()
    with MathChecker():
        assert workers() == before


async def test_waiting_checks_are_told_when_it_is_closed() -> None:
    checker = MathChecker()
    waiting = [asyncio.create_task(checker.verify("1", "1")) for _ in range(2_000)]
    await asyncio.sleep(0)
    await asyncio.to_thread(checker.close)
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(
        found is True or isinstance(found, (CheckerError, asyncio.CancelledError))
        for found in results
    )
    assert not all(found is True for found in results)


async def test_a_cancelled_check_stops_waiting(own: MathChecker) -> None:
    task = asyncio.create_task(own.verify("1", r"\sqrt{\binom{\binom{99}{2}}{\sin(1)}}"))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await own.verify("1", "1")


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "pass"])
def test_workers_end_with_their_parent(end: str) -> None:
    program = (
        "import os, pathlib\n"
        "from curriculum_env.rubrics.math import default_checker\n"
        "assert default_checker().verify_sync('1', '1')\n"
        "tasks = pathlib.Path('/proc/self/task').iterdir()\n"
        "children = [(task / 'children').read_text() for task in tasks]\n"
        f"print(*children, flush=True)\n{end}\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True
    )
    pids = list(map(int, done.stdout.split()))
    assert len(pids) == 2, done.stderr
    assert done.stderr == ""
    assert all(gone(pid) for pid in pids)


def test_one_is_shared_by_all() -> None:
    assert default_checker() is default_checker()


@pytest.mark.parametrize("settings", [{"workers": 1}, {"workers": 0}, {"memory": 1 << 20}])
def test_settings_that_cannot_work(settings: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="expected at least"):
        MathChecker(**settings)


def test_workers_that_cannot_start_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with MathChecker() as checker, pytest.raises(CheckerError, match="ended with code 3"):
        checker.verify_sync("1", "1")


def test_memory_is_limited() -> None:
    others = workers()
    with MathChecker(memory=1 << 30) as checker:
        for _ in range(100):  # a check is answered by the first worker that is ready
            assert checker.verify_sync("1", "1")
            limits = [address_space(pid) for pid in workers() - others]
            if limits == [1 << 30, 1 << 30]:
                return
            time.sleep(0.1)
    pytest.fail(f"the workers may take {limits} bytes")


def address_space(pid: int) -> int | str:
    """The most memory in bytes that a process may take, or "unlimited"."""
    limits = Path(f"/proc/{pid}/limits").read_text()
    (line,) = (line for line in limits.splitlines() if line.startswith("Max address space"))
    limit = line.split()[3]
    return int(limit) if limit.isdecimal() else limit
