"""A Beta belief for each row, with exponential forgetting by visit and by age."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.estimators.base import ALL, Rows, offline
from curriculum_env.estimators.beta_belief import BetaBelief
from curriculum_env.types import FloatArray, Row

Count: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class BetaConfig(BaseConfig):
    """Settings of `Beta`."""

    type: Literal["beta"] = "beta"
    """A Beta distribution of the pass rate."""
    decay: float = Field(default=0.9, gt=0, le=1)
    """Share of the learned counts kept at each further group of the same row."""
    decay_prior: bool = False
    """The literal rule, which decays the prior's counts as well."""
    age_decay: float = Field(default=0.995, gt=0, le=1)
    """Share of the learned counts kept at each policy update without a visit (1: none is lost)."""
    prior: tuple[Count, Count] = (1.0, 1.0)
    """Passes and failures believed before any rollout."""
    prior_weight: float = Field(default=1.0, ge=0)
    """Weight of one offline rollout, in pseudo-counts."""


class Beta(BetaBelief):
    """Per group s <- d*s + (1-d)*s0 + k and f alike (MoPPS, arXiv 2507.04632), after the counts
    drifted toward the prior by `age_decay` for each policy update since the last visit."""

    COLUMNS = ("passes_N", "fails_N", "prior_passes_N", "prior_fails_N", "seen_N")
    passes_N: FloatArray
    fails_N: FloatArray
    prior_passes_N: FloatArray
    prior_fails_N: FloatArray
    seen_N: FloatArray

    def __init__(self, config: BetaConfig | None = None) -> None:
        super().__init__()
        self.config = config or BetaConfig()

    def initial(self, rows: Sequence[Row]) -> dict[str, FloatArray]:
        passes_N, attempts_N = offline(rows)
        weight, (prior_passes, prior_fails) = self.config.prior_weight, self.config.prior
        prior_passes_N = prior_passes + weight * passes_N
        prior_fails_N = prior_fails + weight * (attempts_N - passes_N)
        return {
            "passes_N": prior_passes_N.copy(),
            "fails_N": prior_fails_N.copy(),
            "prior_passes_N": prior_passes_N,
            "prior_fails_N": prior_fails_N,
            "seen_N": np.full(len(passes_N), self.now),
        }

    def update(self, row: int, success_G: Sequence[float]) -> None:
        config, passes = self.config, float(sum(success_G))
        prior_passes, prior_fails = self.prior_passes_N.item(row), self.prior_fails_N.item(row)
        kept = config.age_decay ** (self.now - self.seen_N.item(row))
        old_passes = prior_passes + kept * (self.passes_N.item(row) - prior_passes)
        old_fails = prior_fails + kept * (self.fails_N.item(row) - prior_fails)
        regain = 0.0 if config.decay_prior else 1.0 - config.decay
        self.passes_N[row] = config.decay * old_passes + regain * prior_passes + passes
        self.fails_N[row] = (
            config.decay * old_fails + regain * prior_fails + len(success_G) - passes
        )
        self.seen_N[row] = self.now

    def counts(self, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        """The passes and failures believed now, age taken into account."""
        passes, fails = self.passes_N[rows], self.fails_N[rows]
        if self.config.age_decay == 1.0:
            return passes, fails
        prior_passes, prior_fails = self.prior_passes_N[rows], self.prior_fails_N[rows]
        kept = np.exp(np.log(self.config.age_decay) * (self.now - self.seen_N[rows]))
        return prior_passes + kept * (passes - prior_passes), prior_fails + kept * (
            fails - prior_fails
        )

    def prior_total(self) -> float:
        return sum(self.config.prior)

    def discount(self, keep: float) -> None:
        self.passes_N += (keep - 1.0) * (self.passes_N - self.prior_passes_N)
        self.fails_N += (keep - 1.0) * (self.fails_N - self.prior_fails_N)
