"""What follows from believing each pass rate to be Beta distributed."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from curriculum_env.estimators.base import ALL, Estimator, Rows
from curriculum_env.estimators.interval import beta_interval
from curriculum_env.estimators.survival import BLOCK, beta_survival
from curriculum_env.types import FloatArray


class BetaBelief(Estimator):
    """An estimator that counts passes and failures, whatever its rule of counting."""

    @abstractmethod
    def counts(self, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        """The passes and failures believed now, both positive."""

    @abstractmethod
    def prior_total(self) -> float:
        """The passes and failures of a row of which nothing is known."""

    def mean(self, rows: Rows = ALL) -> FloatArray:
        passes, fails = self.counts(rows)
        return passes / (passes + fails)

    def evidence(self, rows: Rows = ALL) -> FloatArray:
        passes, fails = self.counts(rows)
        return np.maximum(passes + fails - self.prior_total(), 0.0)

    def sample(self, rng: np.random.Generator, rows: Rows = ALL) -> FloatArray:
        return rng.beta(*self.counts(rows))

    def survival(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        if rows is not ALL:
            return beta_survival(*self.counts(rows), group_size)
        out = np.empty(self.size)
        for start in range(0, self.size, BLOCK):  # what a block needs stays in the cache
            block = slice(start, start + BLOCK)
            out[block] = beta_survival(*self.counts(block), group_size)
        return out

    def interval(self, mass: float = 0.9, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        return beta_interval(*self.counts(rows), mass)
