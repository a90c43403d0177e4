from __future__ import annotations

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from curriculum_env.rubrics.math import MathChecker
from tests.rubrics.math.battery import HOSTILE, RIGHT, WRONG

SECONDS = 6.0
BATTERY = [(gold, answer, True) for gold, answer in RIGHT] + [
    (gold, answer, False) for gold, answer in WRONG
]


@pytest.mark.parametrize(("gold", "answer", "expected"), BATTERY)
def test_in_the_main_thread(checker: MathChecker, gold: str, answer: str, expected: bool) -> None:
    assert checker.verify_sync(gold, answer) is expected


def test_in_threads(checker: MathChecker) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda pair: checker.verify_sync(*pair[:2]), BATTERY * 4))
    assert found == [expected for *_, expected in BATTERY] * 4


async def test_in_asyncio(checker: MathChecker) -> None:
    found = await asyncio.gather(*(checker.verify(gold, answer) for gold, answer, _ in BATTERY * 4))
    assert found == [expected for *_, expected in BATTERY] * 4


def test_in_several_event_loops_at_once(checker: MathChecker) -> None:
    def loop(_: int) -> list[bool]:
        async def run() -> list[bool]:
            return await asyncio.gather(*(checker.verify(g, a) for g, a, _ in BATTERY))

        return asyncio.run(run())

    with ThreadPoolExecutor(4) as threads:
        assert all(
            found == [expected for *_, expected in BATTERY] for found in threads.map(loop, range(4))
        )


async def test_hostile_answers_end_in_time_and_disturb_nobody(checker: MathChecker) -> None:
    """All at once, with ordinary checks that come in meanwhile; the event loop never stops."""

    async def timed(gold: str, answer: str) -> tuple[bool, float]:
        began = time.monotonic()
        return await checker.verify(gold, answer), time.monotonic() - began

    async def heartbeat() -> float:
        longest = 0.0
        while True:
            began = time.monotonic()
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                return longest
            longest = max(longest, time.monotonic() - began)

    beats = asyncio.create_task(heartbeat())
    hostile = [asyncio.create_task(timed("1", answer)) for answer in HOSTILE]
    ordinary: list[tuple[bool, float]] = []
    while not all(task.done() for task in hostile):
        ordinary.append(await timed(r"\frac{1}{2}", r"so $x = \boxed{0.5}$."))
    beats.cancel()
    results = [task.result() for task in hostile]
    assert not any(correct for correct, _ in results)
    assert max(taken for _, taken in results) < SECONDS
    assert all(correct for correct, _ in ordinary)
    assert max(taken for _, taken in ordinary) < SECONDS
    assert await beats < SECONDS / 12


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: answer[:20].encode().hex())
def test_a_hostile_gold_is_found_or_compared_in_time(checker: MathChecker, answer: str) -> None:
    began = time.monotonic()
    checker.check_golds([answer])
    assert not checker.verify_sync(answer, "2")
    assert time.monotonic() - began < 2 * SECONDS


def test_an_outer_watchdog_stays(checker: MathChecker) -> None:
    """Nothing here touches this process's alarm."""
    import signal

    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        assert checker.verify_sync("1", "1")
        deadline = time.monotonic() + 5
        while not rung and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung


def test_a_fork_has_workers_of_its_own(checker: MathChecker) -> None:
    assert checker.verify_sync("1", "1")
    if (child := os.fork()) == 0:
        os._exit(0 if checker.verify_sync("2", "2") and not checker.verify_sync("2", "3") else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert checker.verify_sync("1", "1")
