"""A part of the pool, as a rule sees it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from curriculum_env.estimators.base import ALL, Beliefs, Rows
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, IntArray


class PartBeliefs:
    """The beliefs about some rows, numbered from 0."""

    def __init__(self, beliefs: Beliefs, rows_M: IntArray) -> None:
        self._beliefs, self._rows_M = beliefs, rows_M

    @property
    def now(self) -> float:
        return self._beliefs.now

    @property
    def size(self) -> int:
        return len(self._rows_M)

    def mean(self, rows: Rows = ALL) -> FloatArray:
        return self._beliefs.mean(self._rows_M[rows])

    def evidence(self, rows: Rows = ALL) -> FloatArray:
        return self._beliefs.evidence(self._rows_M[rows])

    def sample(self, rng: np.random.Generator, rows: Rows = ALL) -> FloatArray:
        return self._beliefs.sample(rng, self._rows_M[rows])

    def survival(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        return self._beliefs.survival(group_size, self._rows_M[rows])

    def gain(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        return self._beliefs.gain(group_size, self._rows_M[rows])

    def interval(self, mass: float = 0.9, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        return self._beliefs.interval(mass, self._rows_M[rows])


def part_of(view: View, rows_M: IntArray) -> View:
    """The view of the rows `rows_M` alone, numbered from 0 in that order."""
    return replace(
        view,
        estimator=PartBeliefs(view.estimator, rows_M),
        available_N=view.available_N[rows_M],
        novelty_N=view.novelty_N[rows_M],
        buckets=view.buckets and view.buckets.part(rows_M),
    )
