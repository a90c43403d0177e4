from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.estimators import Beta, Irt, IrtConfig, survival
from curriculum_env.estimators.effects import EVERYTHING
from curriculum_env.estimators.gaussian import Gaussian, believed, drift_slope
from curriculum_env.estimators.logit_normal import posterior
from curriculum_env.types import Row


def pool(size: int, levels: int = 4) -> list[Row]:
    return [
        Row(f"{i:x}", {"q": f"level {i % levels}"}, "d", str(i % levels), {"size": i % 3})
        for i in range(size)
    ]


def bare(size: int) -> list[Row]:
    return [Row(f"{i:x}", {}) for i in range(size)]


def irt(rows: list[Row], **settings: object) -> Irt:
    estimator = Irt(IrtConfig.model_validate(settings))
    estimator.add(rows)
    return estimator


def group(passes: int, size: int = 8) -> list[float]:
    return [1.0] * passes + [0.0] * (size - passes)


def teach(estimator: Irt, truth_N: np.ndarray, groups: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    for number in range(groups):
        row = int(rng.integers(len(truth_N)))
        estimator.update(row, group(int(rng.binomial(8, truth_N[row]))))
        estimator.now = (number + 1) / 64


def test_a_row_never_tried_is_judged_by_its_level() -> None:
    estimator = irt(pool(400))
    level_N = np.arange(400) % 4
    truth_N = np.array([0.9, 0.7, 0.3, 0.1])[level_N]
    truth_N[200:] = np.nan
    teach(estimator, truth_N[:200], 600)
    mean_N = estimator.mean()[200:]
    for level, rate in enumerate((0.9, 0.7, 0.3, 0.1)):
        assert mean_N[level_N[200:] == level].mean() == pytest.approx(rate, abs=0.06)


def test_words_judge_a_row_where_nothing_else_does() -> None:
    rows = [Row(f"{i:x}", {"q": ["add two", "integrate by parts"][i % 2]}) for i in range(200)]
    truth_N = np.array([0.9, 0.2])[np.arange(200) % 2]
    blind, reading = irt(rows), irt(rows, text="q")
    for estimator in (blind, reading):
        teach(estimator, truth_N[:100], 400)
    unseen = np.array([150, 151])
    assert reading.mean(unseen) == pytest.approx([0.9, 0.2], abs=0.08)
    assert abs(blind.mean(unseen)[0] - blind.mean(unseen)[1]) < 1e-9


def test_the_whole_pool_moves_with_the_policy() -> None:
    estimator = irt(pool(200))
    teach(estimator, np.full(100, 0.3), 400)
    before = estimator.mean(np.arange(100, 200))
    teach(estimator, np.full(100, 0.8), 800)
    after = estimator.mean(np.arange(100, 200))
    assert np.all(after > before + 0.3)


def test_drift_makes_an_unvisited_belief_less_sure_and_leaves_it_where_it_is() -> None:
    estimator = irt(bare(50), drift=0.0, task_drift=0.01)
    for _ in range(5):
        estimator.update(0, group(6))
    mean, variance = estimator.logit(np.array([0]))
    estimator.now = 100.0
    later, doubt = estimator.logit(np.array([0]))
    assert doubt[0] > 1.2 * variance[0]
    assert 0.5 * mean[0] < later[0] < mean[0]


def test_the_spread_of_difficulties_is_learned() -> None:
    for reach, least, most in ((0.5, 0.04, 0.25), (2.0, 0.8, 1.8)):
        estimator = irt(bare(1000))
        teach(estimator, 1.0 / (1.0 + np.exp(-np.linspace(-reach, reach, 1000))), 4000)
        assert least < estimator.spread < most  # the variance is reach**2 / 3


def test_effects_that_tell_nothing_are_switched_off() -> None:
    rows = [Row(f"{i:x}", {}, features={"noise": i % 16}) for i in range(1000)]
    estimator = irt(rows)
    prior = estimator.effects.priors(estimator.slots_N)[0]
    rng = np.random.default_rng(0)
    teach(estimator, rng.uniform(0.1, 0.9, 1000), 3000)
    everything = estimator.effects.terms([EVERYTHING], estimator.now)[0]
    left = estimator.effects.priors(estimator.slots_N)[0] - estimator.effects.prior[1]
    assert left < 0.3 * (prior - 4.0)
    assert abs(everything.mean) < 0.5


def test_stuck_rows_are_found_and_what_they_do_is_not_held_against_the_others() -> None:
    rng = np.random.default_rng(2)
    stuck_N = rng.random(500) < 0.4
    truth_N = np.where(stuck_N, 0.0, rng.uniform(0.5, 0.9, 500))
    estimator = irt(bare(500))
    teach(estimator, truth_N, 1500)
    assert estimator.settled.shares[0] == pytest.approx(0.4, abs=0.07)
    assert estimator.settled.rates[0] < 0.01
    seen_N = estimator.never_N != 0.0
    assert estimator.mean()[seen_N & stuck_N].max() < 0.05
    assert estimator.mean()[seen_N & ~stuck_N].mean() == pytest.approx(0.7, abs=0.04)
    low_N, _ = estimator.interval()
    assert np.all(low_N[seen_N & stuck_N] == 0.0)


def test_a_checker_that_accepts_one_in_twenty_is_luck() -> None:
    rng = np.random.default_rng(3)
    truth_N = np.where(rng.random(400) < 0.5, 0.05, rng.uniform(0.5, 0.9, 400))
    estimator = irt(bare(400))
    teach(estimator, truth_N, 2400)
    assert estimator.settled.rates[0] == pytest.approx(0.05, abs=0.025)


def test_rows_that_always_pass_are_found() -> None:
    rng = np.random.default_rng(2)
    solved_N = rng.random(500) < 0.4
    truth_N = np.where(solved_N, 1.0, rng.uniform(0.2, 0.6, 500))
    estimator = irt(bare(500))
    teach(estimator, truth_N, 1500)
    assert estimator.settled.shares[1] == pytest.approx(0.4, abs=0.07)
    seen_N = estimator.always_N != 0.0
    assert estimator.mean()[seen_N & solved_N].min() > 0.93
    assert estimator.mean()[seen_N & ~solved_N].mean() == pytest.approx(0.4, abs=0.04)
    _, high_N = estimator.interval()
    assert np.all(high_N[seen_N & solved_N] == 1.0)
    assert np.all(estimator.survival(8)[seen_N & solved_N] < 0.3)


def test_an_offline_pass_rate_counts_and_the_policy_may_differ_from_the_one_measured() -> None:
    rows = [
        Row(f"{i:x}", {}, prior_passes=passes, prior_attempts=16)
        for i, passes in enumerate([2, 8, 14] * 40)
    ]
    estimator = irt(rows)
    hard, middle, easy = estimator.mean()[:3]
    assert hard < 0.33 < middle < 0.65 < easy
    better = 1.0 / (1.0 + np.exp(-(np.log([1 / 7, 1, 7] * 20) + 1.5)))
    teach(estimator, better, 300)
    assert np.all(estimator.mean()[117:] > np.array([hard, middle, easy]) + 0.05)
    estimator.discount(0.0)
    assert estimator.mean()[:3] == pytest.approx([hard, middle, easy], abs=0.05)


def test_a_sure_belief_survives_as_its_rate_does() -> None:
    estimator = irt(bare(1), drift=0.0, task_drift=0.0)
    for _ in range(400):
        estimator.update(0, group(6))
    p = float(estimator.mean()[0])
    assert p == pytest.approx(0.75, abs=0.01)
    assert estimator.survival(8)[0] == pytest.approx(float(survival(p, 8)), abs=0.01)
    assert estimator.evidence()[0] > 1000


def test_without_features_it_predicts_as_well_as_beta_where_beta_is_right() -> None:
    """Uniform pass rates that do not change: the prior of `beta` is the truth."""
    losses = np.zeros((3, 2))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        truth_N = rng.random(500)
        estimators = (irt(bare(500)), Beta())
        estimators[1].add(bare(500))
        for number in range(2000):
            row = np.array([number % 500])
            passes = int(rng.binomial(8, truth_N[row[0]]))
            for column, estimator in enumerate(estimators):
                p = float(np.clip(estimator.mean(row)[0], 0.001, 0.999))
                losses[seed, column] -= passes * np.log(p) + (8 - passes) * np.log(1 - p)
                estimator.update(int(row[0]), group(passes))
                estimator.now = (number + 1) / 64
    mine, beta = losses.mean(axis=0)
    assert mine < 1.005 * beta


def test_beliefs_stay_finite_when_the_policy_jumps_about() -> None:
    rng = np.random.default_rng(0)
    estimator = irt(pool(60))
    for era in range(40):
        teach(estimator, np.full(60, rng.choice([0.0, 0.02, 0.98, 1.0])), 100, seed=era)
        mean_N, variance_N = estimator.logit()
        assert np.all(np.abs(mean_N) < 40.0)
        assert np.all((variance_N > 0.0) & (variance_N < 60.0))


def test_rows_that_fail_because_they_are_hard_are_not_taken_for_stuck() -> None:
    estimator = irt(pool(800))
    teach(estimator, np.array([0.03, 0.3, 0.6, 0.9])[np.arange(800) % 4], 1600)
    assert max(estimator.settled.shares) < 0.05
    hard = np.arange(0, 800, 4)
    assert estimator.mean(hard).mean() == pytest.approx(0.03, abs=0.015)


@pytest.mark.parametrize(("walk", "least", "most"), [(0.0, 0.0, 0.0015), (0.2, 0.0035, 0.08)])
def test_how_fast_tasks_change_is_learned(walk: float, least: float, most: float) -> None:
    """Each task's logit walks by itself, with that deviation per policy update (variance .04 in
    the second case; expected at first: .002)."""
    rng = np.random.default_rng(4)
    estimator, logit_N = irt(bare(200)), rng.standard_normal(200)
    for number in range(4000):
        if number % 16 == 0:
            estimator.now = number / 16
            logit_N += walk * rng.standard_normal(200)
        row = number % 200
        estimator.update(row, group(int(rng.binomial(8, 1.0 / (1.0 + np.exp(-logit_N[row]))))))
    assert least < estimator.task_drift < most


def test_the_slope_by_the_drift_is_that_of_the_evidence() -> None:
    """Against a difference quotient of the log-probability of the group."""
    shift, precision, age, drift, prior, effects = 1.7, 2.1, 30.0, 0.004, 1.5, Gaussian(-0.4, 0.3)

    def believe(log_drift: float) -> Gaussian:
        own = believed(shift, precision, age, float(np.exp(log_drift)), prior)
        return Gaussian(effects.mean + own[0], effects.variance + own[1])

    at, step = float(np.log(drift)), 1e-3
    for passes in (0, 3, 8):
        before = believe(at)
        mean, variance, _ = posterior(*before, passes, 8)
        slope = drift_slope(shift, precision, age, drift, prior, before.change(mean, variance))
        low, high = (posterior(*believe(at + side), passes, 8)[2] for side in (-step, step))
        assert slope == pytest.approx((high - low) / (2 * step), abs=2e-4)
