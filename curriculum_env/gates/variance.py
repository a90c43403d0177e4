"""Admit a group whose rewards are not all alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field
from pydantic_config import BaseConfig


class VarianceConfig(BaseConfig):
    """Settings of `Variance`."""

    type: Literal["variance"] = "variance"
    """A group lives if its rewards differ."""
    tolerance: float = Field(default=1e-6, ge=0)
    """Variance, in float64, up to which rewards count as alike."""


class Variance:
    """Var(rewards) > tolerance (DAPO, arXiv 2503.14476, on the rewards themselves: a mean strictly
    inside the range would let through a continuous group of no variance)."""

    def __init__(self, config: VarianceConfig | None = None) -> None:
        self.config = config or VarianceConfig()

    def admit(self, success_G: Sequence[float]) -> bool:
        """Whether the group carries a gradient; a group of one is kept, an empty one not."""
        size = len(success_G)
        if size < 2:
            return size == 1
        mean = sum(success_G) / size
        return sum((success - mean) ** 2 for success in success_G) > self.config.tolerance * size
