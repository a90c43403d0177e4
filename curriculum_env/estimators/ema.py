"""An exponential moving average of each row's group means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.estimators.base import ALL, Estimator, Rows, offline
from curriculum_env.estimators.interval import beta_interval
from curriculum_env.estimators.survival import survival
from curriculum_env.types import FloatArray, Row


class EmaConfig(BaseConfig):
    """Settings of `Ema`."""

    type: Literal["ema"] = "ema"
    """A moving average of the group means."""
    alpha: float = Field(default=0.2, gt=0, le=1)
    """Weight of the newest group."""
    start: float = Field(default=0.5, ge=0, le=1)
    """Pass rate believed before any rollout, where no offline estimate says otherwise."""


class Ema(Estimator):
    """p <- (1-alpha)*p + alpha*k/G.

    The average of groups with geometric weights is worth at most (2-alpha)/alpha groups; `worth_N`
    holds that effective number of rollouts, and `sample` and `interval` read the belief as
    Beta(1 + p*worth, 1 + (1-p)*worth).
    """

    COLUMNS = ("p_N", "worth_N")
    p_N: FloatArray
    worth_N: FloatArray

    def __init__(self, config: EmaConfig | None = None) -> None:
        super().__init__()
        self.config = config or EmaConfig()

    def initial(self, rows: Sequence[Row]) -> dict[str, FloatArray]:
        passes_N, attempts_N = offline(rows)
        known_N = attempts_N > 0
        p_N = np.where(known_N, passes_N / np.maximum(attempts_N, 1e-300), self.config.start)
        return {"p_N": p_N, "worth_N": attempts_N}

    def update(self, row: int, success_G: Sequence[float]) -> None:
        alpha, size = self.config.alpha, len(success_G)
        self.p_N[row] += alpha * (sum(success_G) / size - self.p_N[row])
        self.worth_N[row] = min(self.worth_N[row] + size, (2.0 - alpha) / alpha * size)

    def mean(self, rows: Rows = ALL) -> FloatArray:
        return self.p_N[rows].copy()

    def evidence(self, rows: Rows = ALL) -> FloatArray:
        return self.worth_N[rows].copy()

    def sample(self, rng: np.random.Generator, rows: Rows = ALL) -> FloatArray:
        return rng.beta(*self._counts(rows))

    def survival(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        return survival(self.p_N[rows], group_size)

    def interval(self, mass: float = 0.9, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        return beta_interval(*self._counts(rows), mass)

    def discount(self, keep: float) -> None:
        self.worth_N *= keep

    def _counts(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        p, worth = self.p_N[rows], self.worth_N[rows]
        return 1.0 + p * worth, 1.0 + (1.0 - p) * worth
