"""The simulation of the chapter on curricula, as it stands there: what a rule's rho comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curriculum_env.estimators import Beta, BetaConfig
from curriculum_env.samplers import Sampler, View
from curriculum_env.types import FloatArray, IntArray, Row


@dataclass(frozen=True, slots=True)
class Chapter:
    """Tasks with pass rates uniform in [low, high]; `offline` rollouts each, after which those
    that passed all or none are pruned; then `steps` batches of `groups` tasks, `rollouts` each.
    A task that was trained on gets easier: p <- p + drift * (1 - p)."""

    tasks: int = 4000
    low: float = 0.02
    high: float = 0.98
    offline: int = 8
    groups: int = 64
    rollouts: int = 8
    steps: int = 8
    drift: float = 0.02

    def raw(self) -> float:
        """The expected share of living groups of uniform draws from the pool before pruning:
        the mean of 1 - p^G - (1-p)^G over [low, high]. Needs low + high = 1."""
        power = self.rollouts + 1
        area = (self.high**power - self.low**power) / power
        return 1.0 - 2.0 * area / (self.high - self.low)

    def living(self, sampler: Sampler | None, seed: int) -> float:
        """The share of living groups over a run of `sampler`; None: of an oracle that knows every
        pass rate and takes those nearest .5. The same seed gives the same pool."""
        rng = np.random.default_rng(seed)
        p_N = rng.uniform(self.low, self.high, self.tasks)
        passes_N = rng.binomial(self.offline, p_N)
        kept_N = (passes_N > 0) & (passes_N < self.offline)
        p_N, rows = p_N[kept_N], self._rows(passes_N[kept_N])
        beliefs = Beta(BetaConfig(decay=0.9, decay_prior=True, age_decay=1.0))
        beliefs.add(rows)
        if sampler is not None:
            sampler.add(rows)
        alive = 0
        for _ in range(self.steps):
            rows_B = self._choose(sampler, beliefs, p_N, rng)
            alive += self._train(rows_B, beliefs, p_N, rng)
        return alive / (self.steps * self.groups)

    def _rows(self, passes_N: Sequence[int] | IntArray) -> list[Row]:
        return [
            Row(f"{i:04x}", {}, prior_passes=float(passes), prior_attempts=float(self.offline))
            for i, passes in enumerate(passes_N)
        ]

    def _choose(
        self, sampler: Sampler | None, beliefs: Beta, p_N: FloatArray, rng: np.random.Generator
    ) -> IntArray:
        if sampler is None:
            return np.argsort(np.abs(p_N - 0.5))[: self.groups]
        size = len(p_N)
        view = View(beliefs, np.ones(size, np.bool_), np.ones(size), self.rollouts, rng, "top")
        return sampler.select(self.groups, view).rows_K

    def _train(
        self, rows_B: IntArray, beliefs: Beta, p_N: FloatArray, rng: np.random.Generator
    ) -> int:
        """One batch; how many of its groups live."""
        passes_B = rng.binomial(self.rollouts, p_N[rows_B])
        for row, passes in zip(rows_B.tolist(), passes_B.tolist(), strict=True):
            beliefs.update(row, [1.0] * passes + [0.0] * (self.rollouts - passes))
        p_N[rows_B] += self.drift * (1.0 - p_N[rows_B])
        return int(((passes_B > 0) & (passes_B < self.rollouts)).sum())
