from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from curriculum_env.pool.estimate.interval import pass_rate_interval
from curriculum_env.pool.estimate.plan import OWED_AT_MOST, Depth, Plan
from curriculum_env.types import FloatArray


def plan(depth: Depth, rows: int, known: list[int] | None = None) -> Plan:
    attempts = np.array(known or [0] * rows)
    return Plan(depth, np.zeros(rows), attempts, range(rows))


def play(plan: Plan, rates: FloatArray, seed: int = 0) -> Counter[int]:
    """Play a plan to its end; returns how often each row was handed out."""
    random, handed = np.random.default_rng(seed), Counter[int]()
    while (row := plan.next()) is not None:
        handed[row] += 1
        plan.graded(row, float(random.random() < rates[row]))
    return handed


def test_each_row_gets_k_rollouts_row_by_row() -> None:
    handed = list(iter(plan(Depth(3, 3), 2).next, None))
    assert handed == [0, 0, 0, 1, 1, 1]


def test_what_is_known_already_is_not_played_again() -> None:
    assert play(plan(Depth(4, 4), 3, [4, 1, 9]), np.full(3, 0.5)) == {1: 3}


def test_the_widest_get_more_and_first() -> None:
    made = plan(Depth(4, 12, 0.4), 3)
    outcome = {0: [0, 0, 0, 0], 1: [1, 0, 1, 0], 2: [1, 1, 1, 0]}
    for _ in range(12):
        row = made.next()
        assert row is not None
        made.graded(row, outcome[row].pop())
    further = [made.next() for _ in range(4)]
    assert further == [1] * 4
    widths = [
        float(high[0] - low[0])
        for passes in (0.0, 2.0, 3.0)
        for low, high in [pass_rate_interval(np.array([passes]), np.array([4.0]))]
    ]
    assert widths[1] > widths[2] > widths[0]


def test_no_row_gets_more_than_max_k() -> None:
    handed = play(plan(Depth(8, 20, 0.0), 5), np.array([0.0, 0.2, 0.5, 0.8, 1.0]))
    assert handed == dict.fromkeys(range(5), 20)


def test_a_row_is_left_alone_once_it_is_known_well_enough() -> None:
    made = plan(Depth(8, 200, 0.25), 50)
    handed = play(made, np.linspace(0, 1, 50))
    low, high = pass_rate_interval(made.passes_N, made.attempts_N.astype(float))
    assert (high - low <= 0.25).all()
    assert handed[0] < handed[25]
    before = pass_rate_interval(made.passes_N[25:26], made.attempts_N[25:26].astype(float) - 8)
    assert handed[25] < 80
    assert before[1][0] - before[0][0] > 0.2


def test_a_resumed_plan_goes_on_widening() -> None:
    made = Plan(Depth(4, 8, 0.1), np.array([2.0, 0.0]), np.array([4, 2]), [0, 1])
    assert play(made, np.array([0.5, 0.5])) == {0: 4, 1: 6}


def test_what_failed_is_owed_and_given_up_in_the_end() -> None:
    made = plan(Depth(1, 1), 2)
    assert [made.next(), made.next()] == [0, 1]
    for _ in range(OWED_AT_MOST - 1):
        made.failed(0)
        assert made.next() == 0
    made.failed(0)
    made.graded(1, 1.0)
    assert made.next() is None
    assert made.given_up == {0}


def test_a_row_put_back_comes_again() -> None:
    made = plan(Depth(2, 2), 2)
    first = made.next()
    assert first is not None
    made.put_back(first)
    assert sorted(iter(made.next, None)) == [0, 0, 1, 1]


@pytest.mark.parametrize("name", ["uniform", "mostly solved or not", "in the middle", "hard"])
@pytest.mark.parametrize("depth", [Depth(8, 8), Depth(8, 32, 0.4), Depth(4, 16, 0.5)])
def test_the_intervals_cover_the_true_rates(name: str, depth: Depth) -> None:
    """95% +- 2 points of 4,000 tasks, stopping by width or not, however the rates lie."""
    shapes = {
        "uniform": (1.0, 1.0),
        "mostly solved or not": (0.3, 0.3),
        "in the middle": (3.0, 3.0),
        "hard": (0.5, 2.0),
    }
    rates = np.random.default_rng(1).beta(*shapes[name], 4000)
    made = plan(depth, 4000)
    play(made, rates, seed=2)
    low, high = pass_rate_interval(made.passes_N, made.attempts_N.astype(float))
    assert 0.93 <= np.mean((low <= rates) & (rates <= high)) <= 0.97


def test_rates_of_none_and_all_are_covered() -> None:
    low, high = pass_rate_interval(np.array([0.0, 8.0, 0.0]), np.array([8.0, 8.0, 0.0]))
    assert low.tolist()[0] == 0.0
    assert high.tolist()[1] == 1.0
    assert (low[2], high[2]) == (0.0, 1.0)
