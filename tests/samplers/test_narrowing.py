"""A bandit that follows progress too hard forgets, and is caught at it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig, Outcome
from curriculum_env.testing.samplers import make_rows
from curriculum_env.types import FloatArray


def train(beta1: float, draws: int = 2000) -> tuple[list[float], float, FloatArray]:
    """Five levels whose pass rate rises when they are drawn and fades when they are not: how many
    buckets were forgotten after each draw, the alarms, and how often each level was drawn."""
    inside = {"type": "bucket-bandit", "beta1": beta1, "beta2": 1.5, "floor": 0.02, "every": 5}
    settings = {
        "group_size": 8,
        "cooldown": 20,
        "batch_groups": 16,
        "sampler": {"type": "forgetting", "inside": inside},
    }
    rng, skill, forgotten = np.random.default_rng(0), np.array([0.8, 0.6, 0.3, 0.15, 0.05]), []
    drawn = np.zeros(5)
    with Curriculum(make_rows(500), CurriculumConfig.model_validate(settings)) as curriculum:
        for _ in range(draws):
            draw = curriculum.ask()
            level = int(draw.level)
            drawn[level] += 1
            p = skill[level]
            for i, passed in enumerate(rng.random(8) < p):
                outcome = Outcome(draw.number, draw.uid, f"{draw.number}.{i}", float(passed))
                curriculum.tell(outcome)
            skill *= 0.997
            skill[level] = min(0.95, skill[level] + 0.04 * (4 * p * (1 - p) + 0.1))
            forgotten.append(curriculum.metrics()["forgotten_buckets"])
        return forgotten, curriculum.metrics()["forgetting_alarms"], drawn


def test_moderate_weights_forget_nothing() -> None:
    forgotten, alarms, drawn = train(beta1=1.0)
    assert alarms == max(forgotten) == 0
    assert drawn.min() / drawn.mean() > 0.5


def test_a_weight_too_high_narrows_the_detector_fires_and_buckets_recover() -> None:
    forgotten, alarms, _ = train(beta1=30.0)
    assert alarms >= 3
    assert max(forgotten) >= 1
    recoveries = sum(after < before for before, after in pairwise(forgotten))
    assert recoveries >= 3
