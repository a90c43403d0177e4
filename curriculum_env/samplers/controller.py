"""The bandit's two weights, learned from held-out accuracy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

_LIMIT = math.log(20.0)
_MEMORY = 0.1


class ControllerConfig(BaseConfig):
    """Settings of `Controller`."""

    learning_rate: float = Field(default=0.3, gt=0)
    """Step of the policy gradient."""
    sigma: float = Field(default=0.3, gt=0)
    """Standard deviation with which the logarithm of each weight is tried out."""


class Controller:
    """REINFORCE with a Gaussian policy over log beta (Williams 1992): each action is held from one
    held-out evaluation to the next, its reward is the change of accuracy between them, less a
    running mean and in units of a running deviation; theta <- theta + lr * A * sigma * noise (the
    natural gradient), with 1/20 <= exp(theta) <= 20.
    """

    def __init__(self, config: ControllerConfig, beta1: float, beta2: float) -> None:
        self.config = config
        self.theta = np.log([max(beta1, 1e-3), max(beta2, 1e-3)])
        self._noise = np.zeros(2)
        self._accuracy: float | None = None
        self._mean: float | None = None
        self._variance = 0.0
        self.due = True

    @property
    def betas(self) -> tuple[float, float]:
        """The weights in force."""
        beta1, beta2 = np.exp(self.theta + self.config.sigma * self._noise).tolist()
        return beta1, beta2

    def act(self, rng: np.random.Generator) -> None:
        """Try other weights until the next evaluation."""
        self._noise = rng.standard_normal(2)
        self.due = False

    def heldout(self, accuracy: float) -> None:
        """Learn from the evaluation that ends an action; a new one is `due`."""
        if self._accuracy is not None:
            self._learn(accuracy - self._accuracy)
        self._accuracy, self.due = accuracy, True

    def _learn(self, reward: float) -> None:
        surprise = 0.0 if self._mean is None else reward - self._mean
        self._mean = reward if self._mean is None else self._mean + _MEMORY * surprise
        self._variance = (
            (1.0 - _MEMORY) * self._variance + _MEMORY * surprise**2
            if self._variance
            else surprise**2
        )
        advantage = surprise / math.sqrt(self._variance) if self._variance else 0.0
        step = self.config.learning_rate * max(-3.0, min(3.0, advantage)) * self.config.sigma
        self.theta = np.clip(self.theta + step * self._noise, -_LIMIT, _LIMIT)

    def state_dict(self) -> dict[str, Any]:
        return {
            "theta": self.theta.tolist(),
            "noise": self._noise.tolist(),
            "accuracy": self._accuracy,
            "mean": self._mean,
            "variance": self._variance,
            "due": self.due,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.theta, self._noise = np.array(state["theta"]), np.array(state["noise"])
        self._accuracy, self._mean = state["accuracy"], state["mean"]
        self._variance, self.due = state["variance"], state["due"]
