"""The chapter's simulation gives the chapter's figures, with this package's rules and beliefs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from curriculum_env.estimators import survival
from curriculum_env.samplers import Sampler
from curriculum_env.samplers.greedy import Greedy
from curriculum_env.samplers.thompson import Thompson, ThompsonConfig
from curriculum_env.samplers.uniform import Uniform
from curriculum_env.sim.chapter import Chapter

SEEDS = 40
Make = Callable[[], Sampler | None]


def thompson() -> Sampler:
    """On the whole pool, as there."""
    return Thompson(ThompsonConfig(shortlist=None))


def oracle() -> None:
    """No rule at all."""


def runs(make: Make, chapter: Chapter, seeds: int = SEEDS) -> tuple[float, float]:
    """Mean and standard deviation of rho over the seeds."""
    rhos = [chapter.living(make(), seed) for seed in range(seeds)]
    return float(np.mean(rhos)), float(np.std(rhos, ddof=1))


@pytest.mark.parametrize(
    ("make", "rho", "deviation"),
    [(thompson, 0.9205, 0.0120), (Greedy, 0.9612, 0.0084), (Uniform, 0.8678, 0.0179)],
)
def test_eight_steps(make: Make, rho: float, deviation: float) -> None:
    mean, found = runs(make, Chapter())
    assert mean == pytest.approx(rho, abs=2.0 * deviation / SEEDS**0.5)
    assert found == pytest.approx(deviation, rel=0.4)


@pytest.mark.parametrize(
    ("make", "chapter", "rho", "seeds"),
    [
        pytest.param(Thompson, Chapter(), 0.964, SEEDS, id="a shortlist of 300"),
        pytest.param(thompson, Chapter(offline=32), 0.976, SEEDS, id="32 offline rollouts"),
        pytest.param(oracle, Chapter(), 0.992, SEEDS, id="an oracle"),
        pytest.param(thompson, Chapter(steps=100), 0.941, 10, id="100 steps, thompson"),
        pytest.param(Greedy, Chapter(steps=100), 0.973, 10, id="100 steps, greedy"),
    ],
)
def test_variations(make: Make, chapter: Chapter, rho: float, seeds: int) -> None:
    """The figures are given to three places: half a unit of the last, and two standard errors."""
    mean, deviation = runs(make, chapter, seeds)
    assert deviation < 0.01
    assert mean == pytest.approx(rho, abs=0.0005 + 2.0 * deviation / seeds**0.5)


def test_on_one_pool_the_edge_of_thompson_is_a_twentieth() -> None:
    edges = [
        Chapter().living(thompson(), seed) - Chapter().living(Uniform(), seed)
        for seed in range(SEEDS)
    ]
    assert np.mean(edges) == pytest.approx(0.05, abs=0.0005 + 2.0 * np.std(edges) / SEEDS**0.5)


def test_the_baseline_of_the_raw_pool() -> None:
    assert Chapter().raw() == pytest.approx(0.8070028, abs=5e-8)
    grid = np.linspace(0.02, 0.98, 200_001)
    assert Chapter().raw() == pytest.approx(float(np.mean(survival(grid, 8))), abs=1e-5)


def test_the_same_seed_gives_the_same_run() -> None:
    assert Chapter(tasks=300).living(thompson(), 3) == Chapter(tasks=300).living(thompson(), 3)
