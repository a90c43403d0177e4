"""Sampling for learnability: half from the rows of the greatest p(1-p), half fresh."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.view import View, smallest
from curriculum_env.samplers.weighted import evenly, joined, scaled, shuffled
from curriculum_env.types import IntArray


class SflConfig(BaseConfig):
    """Settings of `Sfl`."""

    type: Literal["sfl"] = "sfl"
    """Half from a buffer of the most learnable rows, p(1-p); half from all others."""
    buffer: int = Field(default=256, ge=1)
    """Rows in the buffer, at least as many as are asked for at once."""
    share: float = Field(default=0.5, ge=0, le=1)
    """Share of the draws that goes to the buffer."""


class Sfl(Sampler):
    """Rank by p(1-p), draw evenly from the top of the ranking and from the rest (SFL, Rutherford
    et al., arXiv 2408.15099; LILO, arXiv 2502.12272, for language models).

    They measure p of a random set of levels by rollouts that do not train; here p is the belief,
    and only rows with evidence can be in the buffer. It is rebuilt among the available rows
    each time: the size of theirs varies by domain, ours is a choice.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: SflConfig | None = None) -> None:
        self.config = config or SflConfig()

    def select(self, n: int, view: View) -> Choice:
        buffer_S = self._buffer(n, view)
        rest_N = view.available_N.copy()
        rest_N[buffer_S] = False
        learnable = int((view.rng.random(n) < self.config.share).sum())
        first = scaled(evenly(buffer_S, learnable, view), self.config.share or 1.0)
        fresh = evenly(np.flatnonzero(rest_N), n - len(first.rows_K), view)
        both = joined(first, scaled(fresh, 1.0 - self.config.share or 1.0))
        missing = n - len(both.rows_K)
        if missing:
            more = evenly(np.setdiff1d(buffer_S, both.rows_K), missing, view)
            both = joined(both, more)
        return shuffled(both, view)

    def _buffer(self, n: int, view: View) -> IntArray:
        known_C = np.flatnonzero(view.available_N & (view.estimator.evidence() > 0.0))
        known_C = view.rng.permutation(known_C)
        mean_C = view.estimator.mean(known_C)
        return known_C[smallest(-mean_C * (1.0 - mean_C), max(self.config.buffer, n))]
