"""The rows on which a step is expected to raise the pass rate most, buckets alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import ScoreSampler
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, Row

_LEAST = 1e-12


class GainConfig(BaseConfig):
    """Settings of `Gain`."""

    type: Literal["gain"] = "gain"
    """The rows on which a step is expected to raise the pass rate most, buckets alike."""
    by: By = "bucket"
    """What makes a bucket: domain and level together, or one of them."""
    balance: float = Field(default=1.0, ge=0, le=1)
    """How far buckets count alike, however many rows they have: 0 counts rows alike, 1 buckets."""


class Gain(ScoreSampler):
    """E[p (1-p) S_G] under the belief, over the number of rows in the bucket to the power
    `balance`."""

    def __init__(self, config: GainConfig | None = None) -> None:
        self.config = config or GainConfig()
        self.buckets = Buckets(self.config.by)
        self._rows_A: FloatArray = np.empty(0)

    def add(self, rows: Sequence[Row]) -> None:
        before_N, before_A = self.buckets.arm_N, self._rows_A
        self.buckets.add(rows)
        added_M = self.buckets.arm_N[len(before_N) :]
        self._rows_A = np.bincount(added_M, minlength=len(self.buckets)).astype(np.float64)
        self._rows_A[: len(before_A)] += before_A

    def score(self, view: View) -> FloatArray:
        gain_N = view.estimator.gain(max(view.group_size, 2))
        weight_A = self._rows_A**-self.config.balance
        return np.maximum(gain_N, _LEAST) * weight_A[self.buckets.arm_N]
