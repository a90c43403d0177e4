from __future__ import annotations

import pytest

from curriculum_env.estimators import Ema, EmaConfig, survival
from curriculum_env.testing.estimators import make_rows


def ema(**settings: object) -> Ema:
    estimator = Ema(EmaConfig.model_validate(settings))
    estimator.add(make_rows(1))
    return estimator


def test_it_moves_by_alpha() -> None:
    estimator = ema(alpha=0.3)
    estimator.update(0, [1.0, 0.0, 0.0, 0.0])
    assert estimator.mean()[0] == pytest.approx(0.7 * 0.5 + 0.3 * 0.25)


def test_it_starts_from_the_offline_estimate() -> None:
    estimator = Ema()
    estimator.add([*make_rows(1, 6.0, 8.0), *make_rows(1)])
    assert estimator.mean().tolist() == [0.75, 0.5]


def test_it_is_worth_no_more_than_its_memory() -> None:
    estimator = ema(alpha=0.2)
    for _ in range(50):
        estimator.update(0, [1.0] * 8)
    assert estimator.evidence()[0] == pytest.approx(1.8 / 0.2 * 8)


def test_survival_takes_the_mean_for_the_truth() -> None:
    estimator = ema()
    estimator.update(0, [1.0] * 8)
    assert estimator.survival(8)[0] == survival(estimator.mean(), 8)[0]
