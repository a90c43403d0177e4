from __future__ import annotations

import pytest

from curriculum_env.estimators import Beta, BetaConfig
from curriculum_env.testing.estimators import make_rows


def beta(**settings: object) -> Beta:
    estimator = Beta(BetaConfig.model_validate(settings))
    estimator.add(make_rows(2))
    return estimator


def group(passes: int, size: int = 8) -> list[float]:
    return [1.0] * passes + [0.0] * (size - passes)


def test_the_literal_rule_decays_the_prior_away() -> None:
    estimator = beta(decay=0.9, decay_prior=True, age_decay=1.0)
    estimator.update(0, group(3))
    assert estimator.get(0)[:2] == pytest.approx((3.9, 5.9))
    assert estimator.mean()[0] == pytest.approx(0.3979592, abs=1e-7)
    estimator.update(0, group(6))
    assert estimator.get(0)[:2] == pytest.approx((9.51, 7.31))
    assert estimator.mean()[0] == pytest.approx(0.5653983, abs=1e-7)


def test_the_literal_rule_has_a_steady_count_of_80() -> None:
    estimator = beta(decay=0.9, decay_prior=True, age_decay=1.0)
    for _ in range(300):
        estimator.update(0, group(4))
    assert sum(estimator.get(0)[:2]) == pytest.approx(80.0)


def test_by_default_the_prior_is_kept() -> None:
    estimator = beta(decay=0.9, age_decay=1.0)
    estimator.update(0, group(3))
    assert estimator.get(0)[:2] == pytest.approx((4.0, 6.0))
    estimator.update(0, group(6))
    assert estimator.get(0)[:2] == pytest.approx((0.9 * 4 + 0.1 + 6, 0.9 * 6 + 0.1 + 2))


def test_a_row_long_unseen_drifts_back_to_its_prior() -> None:
    estimator = beta(age_decay=0.9)
    estimator.update(0, group(8))
    fresh = float(estimator.mean()[0])
    means = []
    for updates in (1, 10, 100):
        estimator.now = updates
        means.append(float(estimator.mean()[0]))
    assert fresh > means[0] > means[1] > means[2]
    assert means[0] == pytest.approx((1 + 0.9 * 8) / (2 + 0.9 * 8))
    assert means[2] == pytest.approx(0.5, abs=1e-3)


def test_age_counts_once_whether_read_or_updated() -> None:
    read, updated = beta(age_decay=0.9, decay=1.0), beta(age_decay=0.9, decay=1.0)
    for estimator in (read, updated):
        estimator.update(0, group(8))
        estimator.now = 5
    updated.update(0, [1.0])
    passes, fails = read.counts()
    assert updated.get(0)[:2] == pytest.approx((passes[0] + 1.0, fails[0]))


def test_offline_rollouts_are_pseudo_counts_to_which_age_returns() -> None:
    estimator = Beta(BetaConfig(age_decay=0.5, prior_weight=0.5))
    estimator.add(make_rows(1, 6.0, 8.0))
    assert estimator.get(0)[:2] == (1 + 3, 1 + 1)
    estimator.update(0, group(0))
    estimator.now = 100
    assert estimator.mean()[0] == pytest.approx(4 / 6)


def test_fractional_successes_count_in_part() -> None:
    estimator = beta(age_decay=1.0)
    estimator.update(0, [0.25, 0.5])
    assert estimator.get(0)[:2] == pytest.approx((0.9 + 0.1 + 0.75, 0.9 + 0.1 + 1.25))


def test_the_interval_is_the_beta_quantiles() -> None:
    estimator = beta()
    low, high = estimator.interval(0.9)
    assert (low[0], high[0]) == pytest.approx((0.05, 0.95))
