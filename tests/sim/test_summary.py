from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.sim import Play
from curriculum_env.sim.summary import Standings, bootstrap, verdict


def run(entrant: str, seed: int, at: list[float], worst: float = 0.0) -> Play:
    """Accuracies after 0, 100, 200, ... rollouts."""
    curve = tuple((100 * i, accuracy, accuracy - worst) for i, accuracy in enumerate(at))
    return Play(entrant, "s", seed, curve, 0.5, 10, 8.0, 0.4, 2.0, 0)


PLAYS = [
    run("uniform", 0, [0.0, 0.25, 0.5, 0.5, 0.5]),
    run("uniform", 1, [0.0, 0.375, 0.75, 0.75, 0.75]),
    run("fast", 0, [0.0, 0.5, 0.625, 0.625, 0.625], worst=0.125),
    run("fast", 1, [0.0, 0.75, 0.875, 0.875, 0.875], worst=0.25),
    run("slow", 0, [0.0, 0.125, 0.125, 0.125, 0.125]),
    run("slow", 1, [0.0, 0.75, 0.75, 0.75, 0.75]),
]


def test_rollouts_are_compared_seed_by_seed() -> None:
    fast, uniform, slow = Standings(PLAYS).lines("s")
    assert (fast.entrant, uniform.entrant, slow.entrant) == ("fast", "uniform", "slow")
    assert fast.vs_uniform.mean == pytest.approx(0.5)
    assert uniform.vs_uniform.mean == 1.0
    assert slow.vs_uniform.mean == pytest.approx((400 / 200 + 100 / 200) / 2)
    assert (fast.reached, slow.reached) == (1.0, 0.5)
    assert fast.gained.mean == pytest.approx(0.125)
    assert fast.worst_domain_delta.mean == pytest.approx(0.125 - 0.1875)


def test_a_verdict_names_the_best_other_rule() -> None:
    found = verdict(Standings(PLAYS), "s", "fast", ["slow", "absent"])
    assert found.best_other == "slow"
    assert found.vs_best_other.mean == pytest.approx((100 / 400 + 100 / 100) / 2)
    with pytest.raises(ValueError, match="no other rule"):
        verdict(Standings(PLAYS), "s", "fast", ["absent"])


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    found = [bootstrap(rng.standard_normal(20)) for _ in range(300)]
    covered = np.mean([interval.low <= 0.0 <= interval.high for interval in found])
    assert 0.88 <= covered <= 0.98
    assert bootstrap([2.0]) == bootstrap([2.0, 2.0])
