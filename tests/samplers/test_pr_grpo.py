from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from curriculum_env.samplers.pr_grpo import PrGrpo, PrGrpoConfig
from tests.samplers.rule_views import fresh, group, rows, rows_of


def made(size: int, **settings: Any) -> PrGrpo:
    sampler = PrGrpo(PrGrpoConfig.model_validate(settings))
    sampler.add(rows_of(*[""] * size))
    return sampler


def test_the_most_variable_first_and_unseen_rows_count_a_quarter() -> None:
    sampler = made(5, epsilon=0.0)
    for row, passes in [(0, 7), (1, 5), (2, 2), (3, 4)]:
        sampler.observe(group(row, passes))
    assert set(rows(sampler.select(2, fresh(5)))) == {3, 4}
    assert set(rows(sampler.select(3, fresh(5)))) == {1, 3, 4}
    assert set(rows(sampler.select(4, fresh(5)))) == {1, 2, 3, 4}


def test_solved_and_unsolved_rows_leave_the_heap_and_come_back() -> None:
    sampler = made(4, epsilon=0.0)
    sampler.observe(group(0, 8))
    sampler.observe(group(1, 0))
    assert sampler.metrics() == {"heap": 2.0, "solved": 1.0, "unsolved": 1.0}
    sampler.observe(group(0, 7))
    assert sampler.metrics() == {"heap": 3.0, "solved": 0.0, "unsolved": 1.0}
    assert set(rows(sampler.select(3, fresh(4)))) == {0, 2, 3}
    assert set(rows(sampler.select(4, fresh(4)))) == {0, 1, 2, 3}


def test_every_ten_batches_a_twentieth_of_a_batch_is_retested_from_each_queue_in_turn() -> None:
    sampler = made(400, epsilon=0.0)
    for row in range(100):
        sampler.observe(group(row, 8))
    for row in range(100, 200):
        sampler.observe(group(row, 0))
    for _ in range(10 * 64 - 200 - 1):
        sampler.observe(group(399, 4))
    assert all(row >= 200 for row in rows(sampler.select(64, fresh(400))))
    sampler.observe(group(399, 4))
    retested = {row for row in rows(sampler.select(64, fresh(400))) if row < 200}
    assert retested == {0, 1, 2, 100, 101, 102}
    assert all(row >= 200 for row in rows(sampler.select(64, fresh(400))))
    sampler.observe(group(0, 8))
    for _ in range(10 * 64 - 1):
        sampler.observe(group(399, 4))
    busy = fresh(400)
    busy.available_N[1] = False
    retested = {row for row in rows(sampler.select(64, busy)) if row < 200}
    assert retested == {2, 3, 4, 100, 101, 102}


def test_a_tenth_goes_anywhere() -> None:
    sampler = made(1000)
    for row in range(900):
        sampler.observe(group(row, 8))
    chosen = sum(
        row < 900 for draw in range(60) for row in rows(sampler.select(20, fresh(1000, draw)))
    )
    assert chosen / 1200 == pytest.approx(0.1 * 0.9, abs=0.03)


def test_the_latest_group_or_an_average_of_groups() -> None:
    latest, average = made(2, epsilon=0.0), made(2, epsilon=0.0, alpha=0.25)
    for sampler in (latest, average):
        for row, passes in [(0, 4), (0, 7), (1, 5)]:
            sampler.observe(group(row, passes))
    assert rows(latest.select(1, fresh(2))) == [1]
    assert rows(average.select(1, fresh(2))) == [0]


def test_prompt_replay_keeps_a_band_and_mixes_in_fresh_rows() -> None:
    sampler = made(100, epsilon=0.0, band=(0.24, 0.70), replay=0.5)
    for row, passes in enumerate([1, 2, 3, 4, 5, 6] * 5):
        sampler.observe(group(row, passes))
    chosen = rows(sampler.select(20, fresh(100)))
    seen = [row for row in chosen if row < 30]
    assert len(seen) == 10
    assert {row % 6 + 1 for row in seen} <= {3, 4, 5}
    assert sampler.metrics() == {"heap": 20.0, "solved": 5.0, "unsolved": 5.0}
    worn = fresh(100)
    worn.available_N[30:] = False
    assert set(rows(sampler.select(30, worn))) == set(range(30))


def test_ties_go_by_the_row_itself_not_by_its_place() -> None:
    there, back = PrGrpo(PrGrpoConfig(epsilon=0.0)), PrGrpo(PrGrpoConfig(epsilon=0.0))
    pool = rows_of(*[""] * 50)
    there.add(pool)
    back.add(pool[::-1])
    first = {pool[row].uid for row in rows(there.select(5, fresh(50)))}
    assert first == {pool[::-1][row].uid for row in rows(back.select(5, fresh(50)))}
    assert first != {row.uid for row in pool[:5]}


def test_its_state_follows_rows_to_a_reordered_pool() -> None:
    pool = rows_of(*[""] * 30)
    sampler, other = PrGrpo(), PrGrpo()
    sampler.add(pool)
    for row in range(20):
        sampler.observe(group(row, row % 9))
    other.add(pool[::-1])
    other.load_state_dict(sampler.state_dict())
    assert other.metrics() == sampler.metrics()
    here = {pool[row].uid for row in sampler._heap.best(30, lambda _: True)[:15]}
    there = {pool[::-1][row].uid for row in other._heap.best(30, lambda _: True)[:15]}
    assert here == there


def test_a_band_must_rise() -> None:
    with pytest.raises(ValidationError, match="two rising pass rates"):
        PrGrpoConfig(band=(0.7, 0.24))


def test_propensities_of_the_sure_and_the_random() -> None:
    sampler = made(40)
    choice = sampler.select(10, fresh(40))
    assert set(np.round(choice.propensity_K, 6)) <= {0.9, round(0.1 / 40, 6), *_evenly(10)}


def _evenly(n: int) -> list[float]:
    return [round(0.1 / count, 6) for count in range(30, 41)]
