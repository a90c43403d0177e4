"""Buckets by learning progress and tension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.arms import Bandit
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.controller import Controller, ControllerConfig
from curriculum_env.samplers.recent import Stretch, push, stretch
from curriculum_env.samplers.spread import floored, softmax
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray

Tension = Literal["signal", "literal"]


class BucketBanditConfig(BaseConfig):
    """Settings of `BucketBandit`."""

    type: Literal["bucket-bandit"] = "bucket-bandit"
    """Buckets whose pass rate moves, and whose rewards differ."""
    by: By = "bucket"
    """What makes a bucket: domain and level together, or one of them."""
    window: int = Field(default=100, ge=2)
    """Rewards of a bucket looked back on."""
    lag: int | None = Field(default=None, ge=1)
    """Rewards between the two windows that progress compares; unset, `window`, so that they have
    none in common (less, they overlap)."""
    subtract_noise: bool = False
    """Whether progress counts only beyond what chance alone would show."""
    tension: Tension = "signal"
    """4 p (1-p), highest at one half; or the literal p (1-p) / (p + epsilon), highest near 0."""
    epsilon: float = Field(default=1e-6, gt=0)
    """The literal tension's epsilon."""
    beta1: float = Field(default=1.0, ge=0)
    """Weight of progress."""
    beta2: float = Field(default=1.0, ge=0)
    """Weight of tension."""
    every: float = Field(default=20.0, ge=0)
    """Policy updates between two computations of the chances."""
    floor: float = Field(default=0.1, ge=0, le=1)
    """Share of the draws spread evenly over the buckets, so that none starves."""
    controller: ControllerConfig | None = None
    """Learn `beta1` and `beta2` from held-out accuracy (`Curriculum.tell_heldout`), from the values
    given; unset, they stay."""

    @model_validator(mode="after")
    def _lag_within_window(self) -> Self:
        if self.lag is not None and self.lag > self.window:
            raise ValueError(
                f"bucket-bandit has lag={self.lag}, window={self.window}; "
                "expected a lag of at most the window: leave it unset for disjoint windows"
            )
        return self


class BucketBandit(Bandit):
    """p_k in proportion to exp(beta1 * L_k + beta2 * T_k), over ring buffers of each bucket's last
    rewards, recomputed every M policy updates.

    L_k = |mean(last N) - mean(N that ended `lag` earlier)|, 0 until there are earlier ones. Tension
    T_k is 4 * Var, which is 4p(1-p) for rewards of 0 and 1; the literal Var / (mean + eps) peaks at
    p = -eps + sqrt(eps^2 + eps), far below one half. A bucket without rewards counts as p = 1/2.
    """

    def __init__(self, config: BucketBanditConfig | None = None) -> None:
        self.config = config = config or BucketBanditConfig()
        self._lag = config.lag or config.window
        self.table = ArmTable(rewards=np.zeros(config.window + self._lag), seen=0.0, chance=-1.0)
        self._computed = 0.0
        self.controller: Controller | None = None
        if config.controller:
            self.controller = Controller(config.controller, config.beta1, config.beta2)

    @property
    def betas(self) -> tuple[float, float]:
        """The weights of progress and of tension."""
        if self.controller:
            return self.controller.betas
        return self.config.beta1, self.config.beta2

    def observe(self, arm: int, success_G: Sequence[float]) -> None:
        push(self.table["rewards"], self.table["seen"], arm, success_G)

    def heldout(self, accuracy: float) -> None:
        if self.controller:
            self.controller.heldout(accuracy)

    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        chance_A, now = self.table["chance"], view.estimator.now
        acts = self.controller is not None and self.controller.due
        old = abs(now - self._computed) >= self.config.every
        if acts or old or bool((chance_A < 0.0).any()):
            if self.controller and acts:
                self.controller.act(view.rng)
            beta1, beta2 = self.betas
            logit_A = beta1 * self.progress() + beta2 * self.tension()
            chance_A[:] = floored(softmax(logit_A), self.config.floor)
            self._computed = now
        return chance_A

    def progress(self) -> FloatArray:
        """L_k, in [0, 1]."""
        new, old = self._stretch(), self._stretch(self._lag)
        progress_A = np.abs(new.mean_A - old.mean_A)
        if self.config.subtract_noise:
            progress_A = np.maximum(progress_A - noise_floor(new, old, self._lag), 0.0)
        return np.where(old.count_A > 0.0, progress_A, 0.0)

    def tension(self) -> FloatArray:
        """T_k, at least 0; at most 1 unless literal."""
        new = self._stretch()
        unseen_A = new.count_A == 0.0
        mean_A = np.where(unseen_A, 0.5, new.mean_A)
        variance_A = np.where(unseen_A, 0.25, new.variance_A)
        return tension(mean_A, variance_A, self.config.tension, self.config.epsilon)

    def _stretch(self, ago: int = 0) -> Stretch:
        return stretch(self.table["rewards"], self.table["seen"], self.config.window, ago)

    def state_dict(self) -> dict[str, Any]:
        controller = self.controller.state_dict() if self.controller else None
        return {"computed": self._computed, "controller": controller}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._computed = state["computed"]
        if self.controller and state["controller"]:
            self.controller.load_state_dict(state["controller"])

    def metrics(self) -> dict[str, float]:
        beta1, beta2 = self.betas
        return {"beta1": beta1, "beta2": beta2}


def tension(
    mean: FloatArray, variance: FloatArray, kind: Tension, epsilon: float = 1e-6
) -> FloatArray:
    """4 * variance, or the literal variance / (mean + epsilon)."""
    return np.asarray(4.0 * variance if kind == "signal" else variance / (mean + epsilon))


def noise_floor(new: Stretch, old: Stretch, lag: int) -> FloatArray:
    """E|difference of the two means| where nothing changed: sqrt(2/pi) times its deviation.

    Of windows that overlap, only the `lag` newest and the `lag` oldest rewards differ. For p = 1/2
    and two disjoint windows of 100 it is .0564.
    """
    n_new_A, n_old_A = np.maximum(new.count_A, 1.0), np.maximum(old.count_A, 1.0)
    total_A = new.variance_A * n_new_A + old.variance_A * n_old_A
    variance_A = total_A / (n_new_A + n_old_A)
    shared_A = np.maximum(np.minimum(n_new_A - lag, n_old_A), 0.0)
    only_new_A, only_old_A = (n_new_A - shared_A) / n_new_A**2, (n_old_A - shared_A) / n_old_A**2
    shift_A = shared_A * (1.0 / n_new_A - 1.0 / n_old_A) ** 2
    spread_A = variance_A * (only_new_A + only_old_A + shift_A)
    return np.asarray(np.sqrt(2.0 / np.pi * spread_A))
