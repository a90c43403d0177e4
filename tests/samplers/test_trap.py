"""The share of living groups alone is a trap: with no cooldown one task is drawn over and over."""

from __future__ import annotations

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row


def draw(cooldown: int, draws: int = 1000, seed: int = 0) -> tuple[float, int]:
    """rho, and the number of different tasks, of a rule that takes the greatest chance of a living
    group, on 2,000 tasks of fixed pass rates (uniform in [.02, .98]; 8 offline rollouts, pruned)
    of which it is told every reward at once."""
    rng = np.random.default_rng(seed)
    rate_N = rng.uniform(0.02, 0.98, 2000)
    passes_N = rng.binomial(8, rate_N)
    rows = [
        Row(str(i), {}, prior_passes=float(passes), prior_attempts=8.0)
        for i, passes in enumerate(passes_N)
        if 0 < passes < 8
    ]
    settings = {
        "group_size": 8,
        "sampler": {"type": "survival"},
        "estimator": {"type": "beta"},
        "pick": "top",
        "novelty": 1.0,
        "explore": 0.0,
        "cooldown": cooldown,
        "refresh": 1,
    }
    alive, seen = 0, set()
    with Curriculum(rows, CurriculumConfig.model_validate(settings)) as curriculum:
        for _ in range(draws):
            given = curriculum.ask()
            seen.add(given.uid)
            passed_G = rng.random(8) < rate_N[int(given.uid)]
            alive += 0 < passed_G.sum() < 8
            for i, passed in enumerate(passed_G.tolist()):
                number = given.number
                curriculum.tell(Outcome(number, given.uid, f"{number}.{i}", float(passed)))
    return alive / draws, len(seen)


def test_without_a_cooldown_it_is_one_task() -> None:
    rho, distinct = draw(0)
    assert rho > 0.97
    assert distinct <= 5


@pytest.mark.parametrize(
    ("cooldown", "rho", "distinct"), [(250, 0.96, 350), (500, 0.95, 640), (1000, 0.93, 1000)]
)
def test_what_a_cooldown_costs_and_buys(cooldown: int, rho: float, distinct: int) -> None:
    found, tasks = draw(cooldown)
    assert found == pytest.approx(rho, abs=0.02)
    assert tasks == pytest.approx(distinct, rel=0.1)
