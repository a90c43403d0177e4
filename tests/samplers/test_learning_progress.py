from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.samplers.learning_progress import LearningProgress, LearningProgressConfig
from tests.samplers.rule_views import fresh, group, rows_of


@pytest.mark.parametrize(("signed", "falling"), [(False, 0.12), (True, 0.02)])
def test_the_change_of_the_average(signed: bool, falling: float) -> None:
    sampler = LearningProgress(LearningProgressConfig(signed=signed))
    sampler.add(rows_of("", "", "", ""))
    for row, passes in [(0, 2), (0, 6), (1, 6), (1, 2), (2, 4)]:
        sampler.observe(group(row, passes))
    assert sampler.score(fresh(4)) == pytest.approx([0.12, falling, 0.02, 0.02])


def test_the_average_moves_with_it() -> None:
    sampler = LearningProgress()
    sampler.add(rows_of(""))
    for passes in (0, 8, 8):
        sampler.observe(group(0, passes))
    assert sampler.score(fresh(1))[0] == pytest.approx(0.02 + 0.2 * (1.0 - 0.2))


def test_chance_alone_makes_03() -> None:
    sampler, rng = LearningProgress(), np.random.default_rng(0)
    sampler.add(rows_of(*[""] * 400))
    changes = []
    for _ in range(40):
        for row in range(400):
            sampler.observe(group(row, int(rng.binomial(8, 0.5))))
        changes.append(float(sampler.score(fresh(400)).mean()) - 0.02)
    assert np.mean(changes[20:]) == pytest.approx(0.030, abs=0.001)
