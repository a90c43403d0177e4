"""Pools of known pass rates for the tests of single rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curriculum_env.estimators import Beta, BetaConfig
from curriculum_env.samplers import Choice, Sampler, View
from curriculum_env.types import Group, Row


def rows_of(*levels: str, **fields: object) -> list[Row]:
    """One row for each level."""
    return [
        Row(f"{i:04x}", {"i": i}, "d", level, **fields)  # type: ignore[arg-type]
        for i, level in enumerate(levels)
    ]


def sure(mean_N: Sequence[float], draw: int = 0) -> View:
    """All rows available, each believed to pass at just that rate."""
    estimator = Beta(BetaConfig(age_decay=1.0, prior=(1e-9, 1e-9)))
    estimator.add(
        [
            Row(f"{i:04x}", {}, prior_passes=1e6 * mean, prior_attempts=1e6)
            for i, mean in enumerate(mean_N)
        ]
    )
    size = len(mean_N)
    return View(estimator, np.ones(size, np.bool_), np.ones(size), 8, np.random.default_rng(draw))


def fresh(size: int, draw: int = 0) -> View:
    """All rows available, nothing known."""
    estimator = Beta()
    estimator.add([Row(f"{i:04x}", {}) for i in range(size)])
    return View(estimator, np.ones(size, np.bool_), np.ones(size), 8, np.random.default_rng(draw))


def group(row: int, passes: int, of: int = 8, draw: int = 0) -> Group:
    """A graded group of `of` rollouts."""
    return Group(draw, row, tuple(float(i < passes) for i in range(of)))


def teach(view: View, row: int, success_G: Sequence[float]) -> None:
    """The belief learns a group."""
    assert isinstance(view.estimator, Beta)
    view.estimator.update(row, success_G)


def first_share(sampler: Sampler, size: int, draws: int = 2000) -> list[float]:
    """How often each row is chosen where one is asked for."""
    counts = np.zeros(size)
    for draw in range(draws):
        counts[sampler.select(1, fresh(size, draw)).rows_K] += 1
    return [float(count) / draws for count in counts]


def rows(choice: Choice) -> list[int]:
    return [int(row) for row in choice.rows_K]
