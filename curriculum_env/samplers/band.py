"""Rows inside a band of pass rates outrank all others."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import ScoreSampler
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray


class BandConfig(BaseConfig):
    """Settings of `Band`."""

    type: Literal["band"] = "band"
    """Rows with the mean inside a band outrank all others."""
    low: float = Field(default=0.2, ge=0, le=1)
    """Lower edge of the band."""
    high: float = Field(default=0.8, ge=0, le=1)
    """Upper edge of the band."""
    target: float = Field(default=0.5, ge=0, le=1)
    """Inside the band the nearer to this pass rate the better."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.low <= self.target <= self.high:
            raise ValueError(
                f"band has low={self.low}, target={self.target}, high={self.high}; "
                "they must rise: set low <= target <= high"
            )
        return self


class Band(ScoreSampler):
    """Inside: 2 - |mean - target|, at least 1; outside: 1 - distance to the nearest edge, scaled
    down a thousandfold, so that neither novelty nor picking in proportion lets an outside row past
    an inside one while any is fresh."""

    _OUTSIDE = 1e-3

    def __init__(self, config: BandConfig | None = None) -> None:
        self.config = config or BandConfig()

    def score(self, view: View) -> FloatArray:
        mean_N, config = view.estimator.mean(), self.config
        inside_N = (mean_N >= config.low) & (mean_N <= config.high)
        edge_N = np.minimum(np.abs(mean_N - config.low), np.abs(mean_N - config.high))
        inside_score_N = 2.0 - np.abs(mean_N - config.target)
        return np.where(inside_N, inside_score_N, self._OUTSIDE * (1.0 - edge_N))
