"""The learning rate of steps that took more rollouts than a batch holds."""

from __future__ import annotations

import math
from typing import Any

from transformers import TrainerCallback


class ScaledRate(TrainerCallback):
    """Multiplies the learning rate within each optimizer step by `scale`, the square root of the
    groups generated for it over those in its batch: the square root rule for Adam (Malladi et al.,
    arXiv 2205.10287), for a batch of living groups holds what so many plain ones do. The schedule
    and what is logged of it stay as they are.
    """

    def __init__(self) -> None:
        self.scale = 1.0
        self._generated = self._trained = 0
        self._rates: list[Any] = []

    def filled(self, generated: int, groups: int) -> float:
        """A batch of `groups` took so many; at least as many count, for some were carried over.
        Returns the scale of the next step."""
        self._generated += max(generated, groups)
        self._trained += groups
        self.scale = math.sqrt(self._generated / self._trained)
        return self.scale

    def on_pre_optimizer_step(self, *given: Any, optimizer: Any, **named: Any) -> None:
        self._generated = self._trained = 0
        self._rates = [group["lr"] for group in optimizer.param_groups]
        for group in optimizer.param_groups:
            group["lr"] = group["lr"] * self.scale

    def on_optimizer_step(self, *given: Any, optimizer: Any, **named: Any) -> None:
        for group, rate in zip(optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate
