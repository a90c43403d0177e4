"""The learning rate of steps that took more rollouts than a batch holds."""

from __future__ import annotations

import math
from statistics import fmean
from typing import Any

from transformers import TrainerCallback


class ScaledRate(TrainerCallback):
    """Multiplies the learning rate within each optimizer step by the square root of `ratio`, the
    groups generated for a batch over those in it, in the mean over what the step trains on: the
    square root rule for Adam (Malladi et al., arXiv 2205.10287), for a batch of living groups holds
    what so many plain ones do. The schedule and what is logged of it stay as they are.
    """

    def __init__(self) -> None:
        self.ratio = 1.0
        self._ratios: list[float] = []
        self._rates: list[Any] = []
        self._optimizer: Any = None

    def filled(self, generated: int, groups: int) -> float:
        """From here on a batch of `groups` is trained on that took so many, but never less than
        it holds: some were carried over. Returns its scale."""
        self.ratio = max(generated / groups, 1.0)
        return math.sqrt(self.ratio)

    def trained(self) -> None:
        """A part of the batch counts for the next step."""
        self._ratios.append(self.ratio)

    def on_train_begin(self, *given: Any, optimizer: Any, **named: Any) -> None:
        while hasattr(optimizer, "optimizer"):
            optimizer = optimizer.optimizer
        if optimizer is not self._optimizer:
            self._optimizer = optimizer
            optimizer.register_step_pre_hook(self._scale)
            optimizer.register_step_post_hook(self._restore)

    def on_step_begin(self, *given: Any, **named: Any) -> None:
        self._ratios.clear()

    def _scale(self, optimizer: Any, *given: Any) -> None:
        scale = math.sqrt(fmean(self._ratios))
        self._rates = [group["lr"] for group in optimizer.param_groups]
        for group in optimizer.param_groups:
            group["lr"] = group["lr"] * scale

    def _restore(self, optimizer: Any, *given: Any) -> None:
        for group, rate in zip(optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate
