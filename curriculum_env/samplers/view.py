"""What a sampler sees of the engine, and how scores become an ordered choice of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from curriculum_env.errors import ConfigError
from curriculum_env.estimators.base import Beliefs
from curriculum_env.samplers.buckets import Buckets
from curriculum_env.samplers.spread import by_bucket, spread
from curriculum_env.types import BoolArray, FloatArray, IntArray

Pick = Literal["stratified", "proportional", "top"]

_TIE_BREAK = 1e-6
_MOST = 1e200


@dataclass(slots=True)
class View:
    """Arrays over the N rows of the pool, read-only, current at the time of the call.

    `available_N`: neither leased nor cooling nor used up. `novelty_N`: the weight in (0, 1] that
    a row's earlier visits left it. `rng` is seeded anew for each call, from the seed and the
    number of draws, so a rule that draws its randomness from it resumes exactly. `draw` is how many
    draws this process has made. `buckets` of the rows are there where `pick` looks at them.
    """

    estimator: Beliefs
    available_N: BoolArray
    novelty_N: FloatArray
    group_size: int
    rng: np.random.Generator
    pick: Pick = "proportional"
    draw: int = 0
    buckets: Buckets | None = None

    @property
    def size(self) -> int:
        return len(self.available_N)

    def choose(self, score_N: FloatArray, n: int) -> tuple[IntArray, FloatArray]:
        """At most `n` available rows by weight, which is score x novelty; none without a weight
        above 0.

        Stratified means that buckets are drawn in proportion to the sum of their rows' weights (to
        within one draw) and in each the highest come first; in proportion means successive draws
        without replacement with chances proportional to the weights, through exponential keys
        (Efraimidis and Spirakis 2006). Ties of the highest are broken at random. Returns the rows
        and, for each, the chance to have been drawn first.
        """
        if np.shape(score_N) != (self.size,):
            raise ConfigError(
                f"the rule's scores are of shape {np.shape(score_N)}; expected one for each row, "
                f"({self.size},): correct its score()"
            )
        weight_N = score_N * self.novelty_N
        weight_N = np.where(self.available_N & (weight_N > 0.0), np.minimum(weight_N, _MOST), 0.0)
        if self.pick == "top":
            rows_K = self._highest(weight_N, n)
            rows_K = rows_K[weight_N[rows_K] > 0.0]
            return rows_K, np.ones(len(rows_K))
        if self.pick == "stratified":
            return self._stratified(weight_N, n)
        clock_N = self.rng.standard_exponential(len(weight_N), dtype=np.float32)
        with np.errstate(divide="ignore", over="ignore"):
            rows_K = smallest(clock_N / weight_N, n)
        rows_K = rows_K[weight_N[rows_K] > 0.0]
        total = float(weight_N.sum())
        return rows_K, weight_N[rows_K] / total if total > 0.0 else np.ones(0)

    def _stratified(self, weight_N: FloatArray, n: int) -> tuple[IntArray, FloatArray]:
        buckets = self.buckets
        assert buckets is not None
        open_A = buckets.count(weight_N > 0.0)
        if n == 0 or not open_A.any():
            return np.empty(0, np.int64), np.empty(0)
        sum_A = np.asarray(np.bincount(buckets.arm_N, weight_N, len(buckets)), np.float64)
        arms_K, share_A = spread(sum_A, open_A, n, self.rng)
        rows_K = np.empty_like(arms_K)
        for arm, places in by_bucket(arms_K):
            rows_M = buckets.members(arm)
            rows_K[places] = rows_M[self._highest(weight_N[rows_M], len(places))]
        return rows_K, share_A[arms_K]

    def _highest(self, weight_N: FloatArray, n: int) -> IntArray:
        noise_N = self.rng.random(len(weight_N))
        return smallest(-weight_N * (1.0 + _TIE_BREAK * noise_N), n)

    def choose_evenly(self, n: int) -> tuple[IntArray, FloatArray]:
        """At most `n` available rows, all alike, whatever their scores and visits."""
        rows_N = np.flatnonzero(self.available_N)
        rows_K = self.rng.choice(rows_N, min(n, len(rows_N)), replace=False)
        return rows_K, np.full(len(rows_K), 1.0 / max(len(rows_N), 1))


def smallest(key_N: FloatArray, n: int) -> IntArray:
    """The positions of the `n` smallest keys (all of them if there are fewer), smallest first."""
    rows_K = np.argpartition(key_N, n)[:n] if n < len(key_N) else np.arange(len(key_N))
    return rows_K[np.argsort(key_N[rows_K], kind="stable")]
