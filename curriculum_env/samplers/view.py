"""What a sampler sees of the engine, and how scores become an ordered choice of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from curriculum_env.estimators.base import Beliefs
from curriculum_env.types import BoolArray, FloatArray, IntArray

Pick = Literal["proportional", "top"]

_TIE_BREAK = 1e-6


@dataclass(slots=True)
class View:
    """Arrays over the N rows of the pool, read-only, current at the time of the call.

    `available_N`: neither leased nor cooling nor used up. `novelty_N`: the weight in (0, 1] that
    a row's earlier visits left it. `rng` is seeded anew for each call, from the seed and the
    number of draws, so a rule that draws its randomness from it resumes exactly. `draw` is how many
    draws this process has made.
    """

    estimator: Beliefs
    available_N: BoolArray
    novelty_N: FloatArray
    group_size: int
    rng: np.random.Generator
    pick: Pick = "proportional"
    draw: int = 0

    @property
    def size(self) -> int:
        return len(self.available_N)

    def choose(self, score_N: FloatArray, n: int) -> tuple[IntArray, FloatArray]:
        """At most `n` available rows by score x novelty: the highest first, or in proportion.

        In proportion means successive draws without replacement with chances proportional to the
        weights, through exponential keys (Efraimidis and Spirakis 2006). Ties of the highest are
        broken at random. Returns the rows and, for each, the chance to have been drawn first.
        """
        weight_N = np.where(self.available_N, score_N * self.novelty_N, 0.0)
        if self.pick == "top":
            noise_N = self.rng.random(len(weight_N), dtype=np.float32)
            rows_K = smallest(-weight_N * (1.0 + _TIE_BREAK * noise_N), n)
            rows_K = rows_K[weight_N[rows_K] > 0.0]
            return rows_K, np.ones(len(rows_K))
        clock_N = self.rng.standard_exponential(len(weight_N), dtype=np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            rows_K = smallest(clock_N / weight_N, n)
        rows_K = rows_K[weight_N[rows_K] > 0.0]
        total = float(weight_N.sum())
        return rows_K, weight_N[rows_K] / total if total > 0.0 else np.ones(0)

    def choose_evenly(self, n: int) -> tuple[IntArray, FloatArray]:
        """At most `n` available rows, all alike, whatever their scores and visits."""
        rows_N = np.flatnonzero(self.available_N)
        rows_K = self.rng.choice(rows_N, min(n, len(rows_N)), replace=False)
        return rows_K, np.full(len(rows_K), 1.0 / max(len(rows_N), 1))


def smallest(key_N: FloatArray, n: int) -> IntArray:
    """The positions of the `n` smallest keys (all of them if there are fewer), smallest first."""
    rows_K = np.argpartition(key_N, n)[:n] if n < len(key_N) else np.arange(len(key_N))
    return rows_K[np.argsort(key_N[rows_K], kind="stable")]
