from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.estimators import Beta
from curriculum_env.samplers.prioritized import Prioritized, PrioritizedConfig
from tests.samplers.rule_views import fresh, group, rows_of, sure, teach


def made(bonus: str, **settings: float) -> Prioritized:
    config = {"bonus": bonus, **settings}
    return Prioritized(PrioritizedConfig.model_validate(config))


def test_closeness_runs_from_1_8_to_20() -> None:
    sampler = made("age", weight=0.0)
    sampler.add(rows_of("", "", "", ""))
    found = sampler.score(sure([0.5, 0.7, 0.0, 1.0]))
    assert found == pytest.approx([20.0, 4.0, 1 / 0.55, 1 / 0.55], rel=1e-5)
    assert found[2] == pytest.approx(1.82, abs=0.005)


def test_the_literal_bonus_is_the_variance_and_at_most_0042() -> None:
    literal, plain = made("uncertainty"), made("age", weight=0.0)
    for sampler in (literal, plain):
        sampler.add(rows_of(*[""] * 50))
    view = fresh(50)
    for row in range(50):
        teach(view, row, [1.0] * (row % 9) + [0.0] * (8 - row % 9) if row else [1.0])
    bonus_N = literal.score(view) - plain.score(view)
    unknown = made("uncertainty")
    unknown.add(rows_of(""))
    most = float(unknown.score(fresh(1))[0]) - 20.0
    assert most == pytest.approx(0.05 / 12)
    assert most <= 0.0042
    assert np.all((bonus_N > 0.0) & (bonus_N < most))


def test_the_literal_bonus_is_that_of_a_beta_belief() -> None:
    sampler = made("uncertainty", weight=1.0)
    sampler.add(rows_of(""))
    view = fresh(1)
    assert isinstance(view.estimator, Beta)
    teach(view, 0, [1.0, 1.0, 0.0, 0.0, 0.0])
    a, b = (float(count[0]) for count in view.estimator.counts())
    closeness = 1.0 / (abs(a / (a + b) - 0.5) + 0.05)
    variance = a * b / ((a + b) ** 2 * (a + b + 1.0))
    assert float(sampler.score(view)[0]) - closeness == pytest.approx(variance)


def test_age_counts_batches_since_the_last_grading() -> None:
    sampler = made("age", batch=4)
    sampler.add(rows_of("", ""))
    for _ in range(8):
        sampler.observe(group(1, 4))
    assert sampler.score(sure([0.5, 0.5])) == pytest.approx([20.1, 20.0])
    sampler.add(rows_of("", "", "")[2:])
    assert sampler.score(sure([0.5, 0.5, 0.5]))[2] == pytest.approx(20.0)


def test_320_batches_of_age_make_up_for_a_distance_of_0_2() -> None:
    sampler = made("age", batch=1)
    sampler.add(rows_of("", ""))
    for _ in range(320):
        sampler.observe(group(0, 4))
    near, far = sampler.score(sure([0.5, 0.7]))
    assert near == pytest.approx(far, rel=1e-6)
