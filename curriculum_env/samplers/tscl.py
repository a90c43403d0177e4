"""Teacher-student curriculum learning: buckets by the slope of their learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.arms import Bandit
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.recent import last, push
from curriculum_env.samplers.spread import floored, softmax
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray

_JOINT_DRAWS = 256


class TsclConfig(BaseConfig):
    """Settings of `Tscl`."""

    type: Literal["tscl"] = "tscl"
    """Buckets whose score rises, or falls, fastest."""
    by: By = "bucket"
    """What makes a bucket: domain and level together, or one of them."""
    teacher: Literal["online", "naive", "window", "sampling"] = "sampling"
    """How the slope is told: the last change, averaged; the slope of each further `window` scores,
    averaged; the slope over the last `window` scores and their times; or one of the last `window`
    changes, at random."""
    policy: Literal["greedy", "boltzmann"] = "greedy"
    """The steepest bucket, but for a share `epsilon`; or in proportion to exp(slope/temperature).
    """
    learning_rate: float = Field(default=0.1, gt=0, le=1)
    """Weight of the newest slope, for `online` and `naive`."""
    window: int = Field(default=10, ge=2)
    """Scores, or changes, looked back on."""
    epsilon: float = Field(default=0.1, ge=0, le=1)
    """Share of the draws spread evenly over the buckets, for `greedy`."""
    temperature: float = Field(default=4e-4, gt=0)
    """Slope that is worth a factor e, for `boltzmann`."""
    absolute: bool = True
    """Whether a falling score counts as much as a rising one, as in the paper: what is being
    forgotten is practised again. The authors' code has it off."""


class Tscl(Bandit):
    """The four teachers of Matiisen et al. 2017 (arXiv 1707.00183, Algorithms 1-4; defaults of the
    authors' code). The score of a step is a group's mean success; times count groups.

    online:   Q <- Q + lr * (x - x_before - Q), x_before = 0 at first
    naive:    Q <- Q + lr * (slope of the last K scores against 0..K-1 - Q), after every K
    window:   slope of the last K scores against their times; 1 while there are fewer than two
    sampling: one of the last K changes for each bucket, the largest wins; 1 while there is none.
              Under `boltzmann` their mean stands in, as in the code.
    """

    def __init__(self, config: TsclConfig | None = None) -> None:
        self.config = config = config or TsclConfig()
        ring = np.zeros(config.window)
        self.table = ArmTable(q=0.0, score=0.0, ring=ring, times=ring, seen=0.0)
        self.time = 0

    def observe(self, arm: int, success_G: Sequence[float]) -> None:
        table, score = self.table, sum(success_G) / len(success_G)
        change = score - float(table["score"][arm])
        table["score"][arm] = score
        sampling = self.config.teacher == "sampling"
        table["times"][arm, int(table["seen"][arm]) % self.config.window] = self.time
        push(table["ring"], table["seen"], arm, [change if sampling else score])
        self.time += 1
        if self.config.teacher == "online":
            self._average(arm, change)
        elif self.config.teacher == "naive" and table["seen"][arm] % self.config.window == 0.0:
            width = self.config.window
            self._average(arm, float(np.polyfit(np.arange(width), table["ring"][arm], 1)[0]))

    def _average(self, arm: int, slope: float) -> None:
        self.table["q"][arm] += self.config.learning_rate * (slope - self.table["q"][arm])

    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        config = self.config
        if config.policy == "boltzmann":
            return softmax(self._signed(self.slopes()) / config.temperature)
        if config.teacher == "sampling":
            chance_A = wins(self._signed(self._sampled(view.rng)), view.rng)
        else:
            slope_A = self._signed(self.slopes())
            best_A = slope_A == slope_A.max()
            chance_A = best_A / best_A.sum()
        return floored(chance_A, config.epsilon)

    def slopes(self) -> FloatArray:
        """The slope of each bucket, as the teacher tells it."""
        if self.config.teacher in ("online", "naive"):
            return self.table["q"]
        ring_AW, there_AW = last(self.table["ring"], self.table["seen"], self.config.window)
        count_A = there_AW.sum(axis=1)
        if self.config.teacher == "sampling":
            mean_A = ring_AW.sum(axis=1) / np.maximum(count_A, 1.0)
            return np.where(count_A > 0.0, mean_A, 1.0)
        times_AW, _ = last(self.table["times"], self.table["seen"], self.config.window)
        return np.where(count_A > 1.0, fitted_slope(times_AW, ring_AW, there_AW), 1.0)

    def _sampled(self, rng: np.random.Generator) -> FloatArray:
        """Joint draws of one past change per bucket, shape (draws, buckets)."""
        count_A = np.minimum(self.table["seen"], self.config.window)
        place_DA = (rng.random((_JOINT_DRAWS, len(count_A))) * count_A).astype(np.int64)
        change_DA = self.table["ring"][np.arange(len(count_A)), place_DA]
        return np.where(count_A > 0.0, change_DA, 1.0)

    def _signed(self, slope: FloatArray) -> FloatArray:
        return np.abs(slope) if self.config.absolute else slope

    def state_dict(self) -> dict[str, Any]:
        return {"time": self.time}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.time = state["time"]


def fitted_slope(x_AW: FloatArray, y_AW: FloatArray, weight_AW: FloatArray) -> FloatArray:
    """Slope of the least-squares line through each bucket's points of weight 1; 0 where the points
    have no spread in x."""
    n_A = np.maximum(weight_AW.sum(axis=1, keepdims=True), 1.0)
    dx_AW = weight_AW * (x_AW - (weight_AW * x_AW).sum(axis=1, keepdims=True) / n_A)
    dy_AW = weight_AW * (y_AW - (weight_AW * y_AW).sum(axis=1, keepdims=True) / n_A)
    square_A = (dx_AW**2).sum(axis=1)
    return np.asarray((dx_AW * dy_AW).sum(axis=1) / np.where(square_A > 0.0, square_A, 1.0))


def wins(value_DA: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The share of the joint draws that each bucket wins, ties broken at random."""
    best_DA = value_DA == value_DA.max(axis=1, keepdims=True)
    winner_D = np.argmax(best_DA * (1.0 + rng.random(value_DA.shape)), axis=1)
    return np.bincount(winner_D, minlength=value_DA.shape[1]) / len(value_DA)
