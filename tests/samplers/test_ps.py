from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.samplers.ps import Ps, PsConfig
from tests.samplers.rule_views import first_share, fresh, group, rows, rows_of


def made(size: int, **settings: float) -> Ps:
    sampler = Ps(PsConfig.model_validate(settings))
    sampler.add(rows_of(*[""] * size))
    return sampler


def test_unseen_rows_first_in_the_order_of_the_pool() -> None:
    sampler = made(6)
    for row in (1, 3):
        sampler.observe(group(row, 4))
    assert rows(sampler.select(3, fresh(6))) == [0, 2, 4]
    assert set(rows(sampler.select(6, fresh(6)))) == set(range(6))
    busy = fresh(6)
    busy.available_N[[0, 4]] = False
    assert rows(sampler.select(2, busy)) == [2, 5]


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_in_proportion_to_the_smoothed_failure_rate(temperature: float) -> None:
    sampler = made(3, temperature=temperature)
    for row, passes in [(0, 0), (1, 4), (2, 8)]:
        sampler.observe(group(row, passes))
    weight = np.array([1.1, 0.6, 0.1]) ** (1.0 / temperature)
    assert first_share(sampler, 3, 4000) == pytest.approx(weight / weight.sum(), abs=0.025)


def test_the_rate_is_the_mean_over_all_groups() -> None:
    sampler = made(2)
    for passes in (8, 0, 4):
        sampler.observe(group(0, passes))
    sampler.observe(group(1, 4))
    choice = sampler.select(2, fresh(2))
    assert choice.propensity_K == pytest.approx([0.5, 0.5])
