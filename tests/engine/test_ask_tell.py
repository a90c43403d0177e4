from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
import pytest

from curriculum_env import Curriculum, Outcome, Row
from curriculum_env.errors import PoolError, RewardError, StoreError
from tests.engine.helpers import GROUP_SIZE, World, curriculum, outcomes, rows

RATES = np.random.default_rng(0).uniform(0.02, 0.98, 2000).tolist()
BETA = {"type": "beta", "age_decay": 1}
"""Counts that never fade, so that a mean is a fraction known beforehand."""


@pytest.mark.parametrize(("estimator", "rho"), [("beta", 0.90), ("irt", 0.86)])
def test_survival_finds_living_groups_among_many_tasks(estimator: str, rho: float) -> None:
    """The issue's figure without the processes: rho >= .90 over draws 1,000 to 2,000 while they
    touch at least 500 distinct tasks; uniform gives about .80. Pass rates uniform in [0, 1] and
    levels that tell nothing are the prior of `beta`; `irt` has to learn as much first."""
    settings: dict[str, Any] = {"pick": "top", "explore": 0.0, "novelty": 1.0}
    world = World(curriculum(rows(2000), estimator={"type": estimator}, **settings), RATES)
    world.play(2000)
    assert np.mean(world.alive[-1000:]) >= rho
    assert len(set(world.drawn[-1000:])) >= 500

    baseline = World(curriculum(rows(2000), sampler={"type": "uniform"}), RATES)
    baseline.play(2000)
    assert np.mean(baseline.alive[-1000:]) == pytest.approx(0.80, abs=0.04)


def test_without_a_cooldown_the_rule_collapses() -> None:
    settings: dict[str, Any] = {
        "pick": "top",
        "explore": 0.0,
        "novelty": 1.0,
        "cooldown": 0,
        "refresh": 1,
    }
    world = World(curriculum(2000, **settings), RATES)
    world.play(2000)
    assert np.mean(world.alive[-1000:]) > 0.95
    assert len(set(world.drawn[-1000:])) < 60


def test_beliefs_follow_the_rewards() -> None:
    engine = curriculum(3, sampler={"type": "sequential"}, cooldown=0, estimator=BETA)
    for _ in range(30):
        draw = engine.ask()
        passes = {"00000000": 8, "00000001": 4, "00000002": 0}[draw.uid]
        for outcome in outcomes(draw, [1.0] * passes + [0.0] * (8 - passes)):
            engine.tell(outcome)
    mean = engine.table()["mean"]
    assert mean[0] > 0.95
    assert mean[1] == pytest.approx(0.5)
    assert mean[2] < 0.05
    metrics = engine.metrics()
    assert (metrics["groups"], metrics["rho"], metrics["oversampling"]) == (30, 1 / 3, 3.0)
    assert metrics["success_mean"] == pytest.approx(0.5)
    assert (metrics["draws"], metrics["outcomes"], metrics["ok"]) == (30, 240, 240)
    assert metrics["distinct_tasks"] == 3
    assert metrics["effective_tasks"] == pytest.approx(3)


def test_a_draw_is_a_lease_until_its_group_is_complete() -> None:
    engine = curriculum(4, cooldown=0, explore=0.0)
    first = engine.ask()
    others = {engine.ask().uid for _ in range(3)}
    assert first.uid not in others
    for outcome in outcomes(first, [1.0] * (GROUP_SIZE - 1)):
        engine.tell(outcome)
    assert engine.metrics()["in_flight"] == 4
    engine.tell(Outcome(first.number, first.uid, "last", 0.0))
    assert engine.metrics()["in_flight"] == 3
    assert engine.ask().uid == first.uid
    assert engine.metrics()["forced_draws"] == 0


def test_a_row_cools_for_as_many_draws_as_asked() -> None:
    engine = curriculum(40, cooldown=25, refresh=3)
    last: dict[str, int] = {}
    gaps = []
    for _ in range(400):
        draw = engine.ask()
        if draw.uid in last:
            gaps.append(draw.number - last[draw.uid])
        last[draw.uid] = draw.number
        for outcome in outcomes(draw, [1.0, 0.0] * 4):
            engine.tell(outcome)
    assert min(gaps) == 26


def test_the_cooldown_is_a_part_of_the_pool_unless_set() -> None:
    assert curriculum(100)._availability.cooldown == 6
    assert curriculum(100, pick="top")._availability.cooldown == 25
    assert curriculum(100, pick="stratified")._availability.cooldown == 6
    assert curriculum(40_000)._availability.cooldown == 2500
    assert curriculum(40_000, pick="top")._availability.cooldown == 4096
    assert curriculum(100, cooldown=3)._availability.cooldown == 3


def test_errors_move_no_belief_but_end_the_group() -> None:
    engine = curriculum(4, outage={"enabled": False})
    before = engine.table()["mean"].copy()
    draw = engine.ask()
    for outcome in outcomes(draw, [None] * GROUP_SIZE):
        engine.tell(outcome)
    assert np.array_equal(engine.table()["mean"], before)
    metrics = engine.metrics()
    assert (metrics["in_flight"], metrics["error"], metrics["void_groups"]) == (0, 8, 1)
    assert metrics["groups"] == 0


def test_a_group_counts_without_its_errors() -> None:
    engine = curriculum(4, estimator=BETA)
    draw = engine.ask()
    for outcome in outcomes(draw, [1.0, None, 1.0, 0.0, 1.0, 1.0, 0.0, None]):
        engine.tell(outcome)
    row = engine.rows.index(draw.uid)
    assert engine.table()["mean"][row] == pytest.approx(5 / 8)


def test_telling_a_rollout_twice_counts_once() -> None:
    engine = curriculum(4)
    draw = engine.ask()
    outcome = outcomes(draw, [1.0])[0]
    engine.tell(outcome)
    engine.tell(outcome)
    assert engine.metrics()["outcomes"] == 1


def test_a_late_rollout_still_counts_and_a_strange_row_does_not() -> None:
    engine = curriculum(4)
    draw = engine.ask()
    for outcome in outcomes(draw, [1.0] * 9):
        engine.tell(outcome)
    engine.tell(Outcome(0, "no-such-row", "x", 1.0))
    metrics = engine.metrics()
    assert (metrics["late"], metrics["unknown"], metrics["groups"]) == (1, 1, 1)


def test_a_draw_that_was_never_made_moves_no_belief() -> None:
    engine = curriculum(4)
    before = engine.table()["mean"].copy()
    for number in (-1, 0, 7):
        with pytest.raises(RewardError, match="expected the number of a draw that ask"):
            engine.tell(Outcome(number, "00000000", f"r{number}", 1.0))
    assert np.array_equal(engine.table()["mean"], before)


def test_a_draw_number_of_another_row_is_no_part_of_the_group() -> None:
    """The log lost a draw, a later process gave its number to another row."""
    engine = curriculum(4)
    draw = engine.ask()
    stranger = next(row.uid for row in engine.rows if row.uid != draw.uid)
    engine.tell(Outcome(draw.number, stranger, "stray", 1.0))
    for outcome in outcomes(draw, [0.0] * 8):
        engine.tell(outcome)
    metrics = engine.metrics()
    assert (metrics["groups"], metrics["late"], metrics["rho"]) == (1, 1, 0.0)


def test_settings_may_come_as_a_mapping() -> None:
    assert Curriculum(rows(3), {"group_size": 4}).group_size == 4
    with pytest.raises(ValueError, match="group_sice"):
        Curriculum(rows(3), {"group_sice": 4})


def test_nothing_is_told_to_a_closed_curriculum() -> None:
    engine = curriculum(3)
    draw = engine.ask()
    engine.close()
    with pytest.raises(StoreError, match="the curriculum is closed"):
        engine.tell(outcomes(draw, [1.0])[0])


def test_leases_expire_by_draws() -> None:
    engine = curriculum(50, lease_draws=10, cooldown=0, estimator=BETA)
    first = engine.ask()
    for outcome in outcomes(first, [1.0, 1.0, 0.0]):
        engine.tell(outcome)
    for _ in range(12):
        engine.ask()
    assert engine.metrics()["expired"] == 2
    row = engine.rows.index(first.uid)
    assert engine.table()["mean"][row] == pytest.approx(3 / 5)


def test_leases_expire_by_time() -> None:
    now = [0.0]
    engine = curriculum(50, clock=lambda: now[0], lease_seconds=60.0)
    engine.ask()
    now[0] = 59.0
    engine.ask()
    assert engine.metrics()["expired"] == 0
    now[0] = 61.0
    engine.ask()
    assert engine.metrics()["expired"] == 1


def test_a_used_up_pool_goes_on_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    engine = curriculum(3, max_reuse=1, cooldown=0)
    with caplog.at_level(logging.WARNING):
        drawn = [engine.ask().uid for _ in range(9)]
    assert set(drawn[:3]) == {row.uid for row in rows(3)}
    assert engine.metrics()["forced_draws"] == 6
    assert len([r for r in caplog.records if "none of the 3 rows" in r.message]) == 1


def test_one_row_is_drawn_over_and_over() -> None:
    engine = curriculum(1)
    for _ in range(20):
        draw = engine.ask()
        for outcome in outcomes(draw, [1.0, 0.0] * 4):
            engine.tell(outcome)
    assert engine.metrics()["groups"] == 20
    assert engine.metrics()["forced_draws"] == 0


@pytest.mark.parametrize("sampler", ["survival", "greedy", "thompson", "band"])
def test_a_share_of_the_draws_goes_to_the_least_known(sampler: str) -> None:
    """Rows believed hopeless are never chosen by the rule, yet looked at again."""
    known = [
        Row(uid=f"{i:08x}", data={}, prior_passes=500.0 * (i % 2 == 0), prior_attempts=1000.0)
        for i in range(200)
    ]
    fresh = [Row(uid=f"{i:08x}", data={}, prior_attempts=0.0) for i in range(200, 210)]
    settings: dict[str, Any] = {
        "sampler": {"type": sampler},
        "cooldown": 0,
        "pick": "top",
        "novelty": 1.0,
        "refresh": 20,
    }
    none = curriculum([*known, *fresh], explore=0.0, **settings)
    some = curriculum([*known, *fresh], explore=0.5, **settings)
    for engine in (none, some):
        for _ in range(20):
            engine.ask()
    hopeless = np.arange(210) % 2 == 1
    assert some.table()["visits"][200:].sum() >= 5
    assert none.table()["visits"][hopeless & (np.arange(210) < 200)].sum() == 0


@pytest.mark.parametrize("probe", [0.0, 0.1, 0.2])
def test_a_propensity_is_above_nought_even_where_all_is_exploration(probe: float) -> None:
    engine = curriculum(9000, explore=1.0, probe=probe, max_reuse=1, refresh=8)
    assert all(0.0 < engine.ask().propensity <= 1.0 for _ in range(9000))


def test_the_share_of_exploration_is_the_one_asked_for() -> None:
    engine = curriculum(5000, explore=0.25, pick="top", cooldown=0)
    shares = [engine.ask().propensity for _ in range(2000)]
    assert np.mean(np.array(shares) < 0.01) == pytest.approx(0.25, abs=0.05)


def test_novelty_spreads_the_draws() -> None:
    def effective(novelty: float) -> float:
        world = World(curriculum(2000, cooldown=50, novelty=novelty, pick="top"), RATES)
        world.play(1500)
        return world.curriculum.metrics()["effective_tasks"]

    assert effective(0.5) > 1.2 * effective(1.0)


def test_rewards_are_rescaled_to_successes(caplog: pytest.LogCaptureFixture) -> None:
    engine = curriculum(1, reward_range=(-2.0, 2.0), estimator=BETA)
    draw = engine.ask()
    for outcome in outcomes(draw, [-2.0, 0.0, 1.0, 2.0, -1.0, 2.0, 2.0, 9.0]):
        engine.tell(outcome)
    assert engine.metrics()["success_mean"] == pytest.approx(
        (0.5 + 0.75 + 1 + 0.25 + 1 + 1 + 1) / 8
    )
    assert engine.metrics()["out_of_range"] == 1
    assert "reward_range" in caplog.text


def test_an_invalid_answer_is_a_plain_failure(caplog: pytest.LogCaptureFixture) -> None:
    engine = curriculum(1)
    draw = engine.ask()
    for outcome in outcomes(draw, [-1.0] * 4 + [1.0] * 4):
        engine.tell(outcome)
    assert engine.metrics()["success_mean"] == 0.5
    assert engine.metrics()["out_of_range"] == 0
    assert not caplog.records


def test_a_threshold_makes_success_binary() -> None:
    engine = curriculum(1, success_threshold=0.6)
    draw = engine.ask()
    for outcome in outcomes(draw, [0.59, 0.6, 0.9, 0.1] * 2):
        engine.tell(outcome)
    assert engine.metrics()["success_mean"] == 0.5


@pytest.mark.parametrize("reward", [math.nan, math.inf, None, "1"])
def test_a_reward_must_be_a_finite_number(reward: object) -> None:
    engine = curriculum(1)
    engine.ask()
    with pytest.raises(RewardError, match="expected a finite number"):
        engine.tell(Outcome(0, "00000000", "r", reward))  # type: ignore[arg-type]
    with pytest.raises(RewardError, match="expected one of ok, error, cancelled"):
        engine.tell(Outcome(0, "00000000", "r", 1.0, "great"))  # type: ignore[arg-type]
    assert engine.metrics()["outcomes"] == 0


def test_an_empty_pool_is_refused() -> None:
    with pytest.raises(PoolError, match="the pool is empty"):
        Curriculum([])


def test_silence_is_noticed_early(caplog: pytest.LogCaptureFixture) -> None:
    engine = curriculum(2000)
    for _ in range(600):
        engine.ask()
    silent = [r.message for r in caplog.records if "no outcome" in r.message]
    assert len(silent) == 1
    assert "do trainer and workers see the same store?" in silent[0]


def test_rows_join_while_it_runs() -> None:
    engine = curriculum(10, cooldown=0, refresh=1)
    for _ in range(3):
        engine.ask()
    engine.add([Row(uid=f"new{i}", data={}, level="new") for i in range(30)])
    drawn = {engine.ask().uid for _ in range(30)}
    assert any(uid.startswith("new") for uid in drawn)
    assert engine.row("new3").level == "new"
    assert engine.table()["uid"].shape == (40,)
    with pytest.raises(KeyError):
        engine.row("no-such-row")


def test_a_closed_curriculum_can_be_closed_again() -> None:
    with curriculum(3) as engine:
        engine.ask()
    engine.close()
