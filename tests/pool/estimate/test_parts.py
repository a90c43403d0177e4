"""Budget, pace, patience, buckets: the parts that decide by themselves."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import numpy as np
import pytest

from curriculum_env.errors import ConfigError
from curriculum_env.pool.estimate.budget import Budget, Prices
from curriculum_env.pool.estimate.chat import Asking
from curriculum_env.pool.estimate.pace import Pace
from curriculum_env.pool.estimate.patience import FAILURES, REFUSALS, Patience
from curriculum_env.pool.estimate.results import Prune
from curriculum_env.pool.estimate.rollouts import Bound
from curriculum_env.pool.estimate.session import shuffled
from curriculum_env.pool.estimate.summary import Found, histogram
from curriculum_env.types import Row


def test_what_is_in_flight_counts_against_the_budget() -> None:
    budget = Budget(tokens=100)
    assert budget.reserve(Bound(10, 50))
    assert not budget.reserve(Bound(10, 50))
    budget.settle(Bound(10, 50), 10, 20)
    assert budget.reserve(Bound(10, 50))
    budget.settle(Bound(10, 50), 10, 50)
    assert budget.spent_tokens == 90
    assert not budget.reserve(Bound(10, 1))
    assert budget.reserve(Bound(9, 1))


def test_money_is_tokens_times_prices() -> None:
    budget = Budget(money=1.0, prices=Prices(prompt=2.0, completion=10.0))
    assert not budget.reserve(Bound(0, 100_001))
    assert budget.reserve(Bound(250_000, 50_000))
    budget.settle(Bound(250_000, 50_000), 250_000, 40_000)
    assert budget.spent_money == pytest.approx(0.9)


async def sent(pace: Pace, count: int) -> float:
    began = time.monotonic()
    await asyncio.gather(*(pace.before() for _ in range(count)))
    return time.monotonic() - began


async def test_requests_are_spaced() -> None:
    assert await sent(Pace(per_minute=1200), 11) >= 0.5
    assert await sent(Pace(), 1000) < 0.5


@pytest.mark.parametrize("header", ["0.4", None])
async def test_all_are_held_back_when_one_is_told_that_the_service_is_full(
    header: str | None,
) -> None:
    pace = Pace()
    headers = {"retry-after": header} if header else {}
    for _ in range(64):
        pace.answered(429, headers)
    assert pace.waves == 1
    assert 0.39 <= await sent(pace, 1) < 2.0


async def test_pauses_grow_from_wave_to_wave_and_are_forgotten() -> None:
    pace = Pace()
    pace.answered(503, {})
    await pace.before()
    pace.answered(503, {})
    assert 0.9 <= await sent(pace, 1) < 3.0
    for _ in range(20):
        pace.answered(200, {})
    assert await sent(pace, 20) < 0.5


async def test_a_retry_after_may_be_a_date_or_nonsense_and_is_bounded_by_patience() -> None:
    pace = Pace(patience=0.2)
    pace.answered(429, {"retry-after": formatdate(time.time() + 3600, usegmt=True)})
    assert await sent(pace, 1) < 1.0
    pace.answered(429, {"retry-after": "soon"})
    pace.answered(429, {"retry-after": "-5"})
    assert await sent(pace, 1) < 3.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_patience_ends_after_so_long_without_success() -> None:
    clock = Clock()
    patience = Patience(10.0, 100.0, clock)
    for clock.now in (1.0, 2.0, 3.0, 9.0):
        patience.failed("HTTP 500")
    assert patience.verdict is None
    patience.succeeded()
    for clock.now in (12.0, 15.0, 18.9):
        patience.failed("HTTP 500")
    assert patience.verdict is None
    clock.now = 19.1
    patience.failed("HTTP 503")
    assert patience.verdict == (
        "no rollout has come back for 10 s, 4 requests failed in a row (mostly: HTTP 500)"
    )


def test_a_single_failure_after_a_long_wait_is_no_verdict() -> None:
    clock = Clock()
    patience = Patience(10.0, 100.0, clock)
    clock.now = 50.0
    for _ in range(FAILURES - 1):
        patience.failed("timed out")
    assert patience.verdict is None


def test_silence_ends_too() -> None:
    clock = Clock()
    patience = Patience(10.0, 100.0, clock)
    clock.now = 99.0
    patience.look()
    assert patience.verdict is None
    clock.now = 100.0
    patience.look()
    assert patience.verdict == "no rollout has come back for 100 s"


def test_a_service_that_takes_no_task_is_given_up_one_that_took_some_is_not() -> None:
    for succeeded in (False, True):
        patience = Patience(10.0, 100.0, Clock())
        if succeeded:
            patience.succeeded()
        for _ in range(REFUSALS):
            patience.refused("HTTP 400: unknown parameter")
        assert bool(patience.verdict) != succeeded


def found(passes: list[float], attempts: list[int], k: int = 5) -> Found:
    rows = [Row(f"row-{i}", {}) for i in range(len(passes))]
    return Found(rows, np.array(passes), np.array(attempts), k)


def test_buckets_hold_their_lower_edge_and_the_last_one_holds_1() -> None:
    made = found([0, 1, 2, 3, 4, 5, 0], [5, 5, 5, 5, 5, 5, 4])
    assert made.bucket_N().tolist() == [0, 1, 2, 3, 4, 4, -1]


def test_the_histogram_puts_each_rate_where_it_belongs() -> None:
    rates = np.array([i / 20 for i in range(21)] + [k / 8 for k in range(9)])
    counts = histogram(rates)
    assert sum(counts) == 30
    assert counts[19] == 2 + 1
    assert counts[12] == 1 + 1
    assert counts[0] == 1 + 1


def test_only_rows_with_k_rollouts_are_pruned() -> None:
    made = found([0, 5, 2, 0, 4], [5, 5, 5, 4, 4])
    marks = {prune.value: prune.of(made).tolist() for prune in Prune}
    assert marks == {
        "both": [True, True, False, False, False],
        "unsolved": [True, False, False, False, False],
        "solved": [False, True, False, False, False],
        "none": [False] * 5,
    }


def test_the_order_depends_on_the_uids_alone() -> None:
    rows = [Row(f"row-{i}", {}) for i in range(100)]
    order = [rows[i].uid for i in shuffled(rows)]
    again = [rows[::-1][i].uid for i in shuffled(rows[::-1])]
    assert order == again
    assert order != [row.uid for row in rows]
    assert sorted(order) == sorted(row.uid for row in rows)


def test_a_row_becomes_messages() -> None:
    asking = Asking("m", prompt="{prompt}\nBox it.", system="Be brief.")
    assert asking.messages(Row("a", {"prompt": "1+1? {x}"})) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "1+1? {x}\nBox it."},
    ]
    chat = [
        {"role": "system", "content": "Own."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "1+1?"},
    ]
    said = asking.messages(Row("a", {"prompt": chat}))
    assert [m["content"] for m in said] == ["Own.", "Hi.", "Hello.", "1+1?\nBox it."]
    assert chat[3]["content"] == "1+1?"


def test_a_prompt_without_a_place_for_the_task_is_refused() -> None:
    with pytest.raises(ConfigError, match="where the task goes"):
        Asking("m", prompt="Solve it.")
