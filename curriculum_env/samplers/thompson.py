"""The rows whose sampled pass rate lies nearest the target."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.view import View, smallest
from curriculum_env.types import IntArray


class ThompsonConfig(BaseConfig):
    """Settings of `Thompson`."""

    type: Literal["thompson"] = "thompson"
    """The rows whose sampled pass rate lies nearest the target."""
    target: float = Field(default=0.5, ge=0, le=1)
    """Pass rate aimed at."""
    temperature: float = Field(default=0.1, gt=0)
    """Distance from the target that costs a factor e where rows are picked in proportion."""
    shortlist: int | None = Field(default=300, gt=0)
    """Rows sampled from: the available ones whose mean lies nearest the target, at least four
    times as many as are asked for (none: every row)."""


class Thompson(Sampler):
    """p ~ belief, scored by exp(-|p - target| / temperature)."""

    def __init__(self, config: ThompsonConfig | None = None) -> None:
        self.config = config or ThompsonConfig()

    def select(self, n: int, view: View) -> Choice:
        rows_S = self._shortlist(n, view)
        sample_S = view.estimator.sample(view.rng, rows_S)
        score_N = np.zeros(view.size)
        score_N[rows_S] = np.exp(-np.abs(sample_S - self.config.target) / self.config.temperature)
        return Choice(*view.choose(score_N, n))

    def _shortlist(self, n: int, view: View) -> IntArray:
        if self.config.shortlist is None:
            return np.flatnonzero(view.available_N)
        distance_N = np.abs(view.estimator.mean() - self.config.target)
        tie_break_N = 1e-9 * view.rng.random(view.size, dtype=np.float32)
        key_N = np.where(view.available_N, distance_N + tie_break_N, np.inf)
        rows_S = smallest(key_N, max(self.config.shortlist, 4 * n))
        return rows_S[np.isfinite(key_N[rows_S])]
