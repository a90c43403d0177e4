"""Candidates made in a thread, before they are needed."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np
import pytest

from curriculum_env import Row
from curriculum_env.engine.ahead import Ahead
from tests.engine.test_growth import fresh, grown, made, play


def test_results_come_by_number_whatever_was_made_ahead() -> None:
    ahead = Ahead(lambda number: -number)
    assert ahead.take(3) == -3
    ahead.start(10, 5)
    assert [ahead.take(number) for number in range(10, 17)] == [-n for n in range(10, 17)]


def test_they_are_made_while_nobody_waits_once_each_and_one_at_a_time() -> None:
    calls: list[tuple[int, str]] = []
    busy = threading.Lock()

    def make(number: int) -> int:
        assert busy.acquire(blocking=False)
        time.sleep(0.001)
        calls.append((number, threading.current_thread().name))
        busy.release()
        return number

    ahead = Ahead(make)
    ahead.start(0, 20)
    ahead.start(0, 20)
    assert ahead.take(19) == 19
    assert calls == [(number, "curriculum-rows") for number in range(20)]
    assert [ahead.take(number) for number in range(19)] == list(range(19))
    ahead.start(20, 5)
    ahead.start(40, 5)
    assert [ahead.take(number) for number in range(40, 45)] == list(range(40, 45))
    assert len(calls) == len(set(calls))


def test_what_fails_fails_where_it_is_taken() -> None:
    def make(number: int) -> int:
        if number == 1:
            raise OSError("no disk")
        return number

    ahead = Ahead(make)
    ahead.start(0, 3)
    assert ahead.take(0) == 0
    with pytest.raises(OSError, match="no disk"):
        ahead.take(1)
    assert ahead.take(2) == 2


def test_after_a_stop_nothing_more_is_made() -> None:
    made_so_far: list[int] = []
    go = threading.Event()

    def make(number: int) -> int:
        go.wait(10.0)
        made_so_far.append(number)
        return number

    ahead = Ahead(make)
    ahead.start(0, 100)
    ahead.stop()
    go.set()
    time.sleep(0.05)
    assert len(made_so_far) <= 1


def test_a_fork_leaves_the_thread_behind_and_goes_on() -> None:
    def make(number: int) -> int:
        time.sleep(0.01)
        return number

    ahead = Ahead(make)
    ahead.start(0, 100)
    child = os.fork()
    if child == 0:
        os._exit(0 if [ahead.take(number) for number in range(5)] == list(range(5)) else 1)
    assert os.waitpid(child, 0)[1] == 0
    ahead.stop()


def test_candidates_are_ready_before_the_draw_that_needs_them_and_are_the_same() -> None:
    threads: list[str] = []

    def source(number: int) -> Row:
        threads.append(threading.current_thread().name)
        return made(number)

    settings: dict[str, Any] = {"generate": {"share": 0.25}, "seed": 3}
    with grown(generator=source, **settings) as curriculum:
        draws = play(curriculum, 1)
        deadline = time.monotonic() + 30.0
        while len(threads) < 128 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert threads == ["curriculum-rows"] * 128
        assert curriculum.metrics()["proposed_rows"] == 0
        rng = np.random.default_rng(6)
        draws += play(curriculum, 150, rng)
        assert set(threads) == {"curriculum-rows"}
    with grown(**settings) as curriculum:
        curriculum._growth._ahead.start = lambda first, count: None  # type: ignore[method-assign,union-attr]
        again = play(curriculum, 1) + play(curriculum, 150, np.random.default_rng(6))
    assert [draw.uid for draw in again] == [draw.uid for draw in draws]
    assert fresh(draws)


def test_a_share_of_nothing_makes_no_candidates() -> None:
    calls: list[int] = []
    with grown(generator=calls.append, generate={"share": 0.0}) as curriculum:
        play(curriculum, 20)
    assert calls == []
