"""SEC: buckets by the mean size of their advantages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.arms import Bandit
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.spread import softmax
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray


class SecConfig(BaseConfig):
    """Settings of `Sec`."""

    type: Literal["sec"] = "sec"
    """Buckets whose groups have the largest advantages."""
    by: By = "bucket"
    """What makes a bucket: domain and level together, or one of them (the paper has both forms)."""
    learning_rate: float = Field(default=0.5, gt=0, le=1)
    """Weight of the newest batch (the authors' runs; their code's default is 0.1)."""
    temperature: float = Field(default=1.0, gt=0)
    """Value that is worth a factor e (the paper: 1 for puzzles, 0.4 for mathematics, 0.2 for
    difficulty by type)."""
    batch_groups: int = Field(default=64, ge=1)
    """Groups averaged into one update: a training batch."""
    normalise: bool = True
    """Whether advantages are divided by their group's standard deviation."""
    decay_unvisited: bool = False
    """Whether a bucket without a group in the batch learns a value of 0 (the authors' code)."""


class Sec(Bandit):
    """Chen et al. 2025 (arXiv 2505.14970): Q_c <- (1 - lr) Q_c + lr * r_c, r_c the mean |advantage|
    of the batch's rollouts of bucket c; P(c) = softmax(Q / temperature)."""

    def __init__(self, config: SecConfig | None = None) -> None:
        self.config = config or SecConfig()
        self.table = ArmTable(q=0.0, total=0.0, groups=0.0)
        self._batch = 0

    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        return softmax(self.table["q"] / self.config.temperature)

    def observe(self, arm: int, success_G: Sequence[float]) -> None:
        self.table["total"][arm] += mean_advantage(success_G, normalise=self.config.normalise)
        self.table["groups"][arm] += 1.0
        self._batch += 1
        if self._batch == self.config.batch_groups:
            self._update()

    def _update(self) -> None:
        q_A, total_A, groups_A = self.table["q"], self.table["total"], self.table["groups"]
        learns_A = (groups_A > 0.0) | self.config.decay_unvisited
        value_A = total_A / np.maximum(groups_A, 1.0)
        q_A[learns_A] += self.config.learning_rate * (value_A - q_A)[learns_A]
        total_A[:], groups_A[:], self._batch = 0.0, 0.0, 0

    def state_dict(self) -> dict[str, Any]:
        return {"batch": self._batch}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._batch = state["batch"]


def mean_advantage(success_G: Sequence[float], *, normalise: bool = True) -> float:
    """Mean |success - mean| over the group, in units of its standard deviation (0 where all are
    alike): 2 sqrt(p (1-p)) for successes of 0 and 1, or 2 p (1-p) where it is not normalised."""
    size = len(success_G)
    mean = sum(success_G) / size
    total = sum(abs(success - mean) for success in success_G)
    if not normalise:
        return total / size
    scale = sqrt(sum((success - mean) ** 2 for success in success_G) / size)
    return total / size / scale if scale > 1e-9 else 0.0
