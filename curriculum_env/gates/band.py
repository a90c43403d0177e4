"""Admit a group that is neither too hard nor too easy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.gates.variance import Variance, VarianceConfig


class BandGateConfig(BaseConfig):
    """Settings of `BandGate`."""

    type: Literal["band"] = "band"
    """A group lives if its rewards differ and their mean lies inside a band."""
    low: float = Field(default=0.1, ge=0, le=1)
    """Least mean success."""
    high: float = Field(default=0.9, ge=0, le=1)
    """Greatest mean success."""
    tolerance: float = Field(default=1e-6, ge=0)
    """Variance, in float64, up to which rewards count as alike."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"the band gate has low={self.low}, high={self.high}; set low <= high")
        return self


class BandGate:
    """low <= mean <= high and Var(rewards) > tolerance: the band alone would let through a group of
    equal rewards that are neither 0 nor 1."""

    def __init__(self, config: BandGateConfig | None = None) -> None:
        self.config = config or BandGateConfig()
        self._variance = Variance(VarianceConfig(tolerance=self.config.tolerance))

    def admit(self, success_G: Sequence[float]) -> bool:
        """Whether the group is worth training on; a group of one is kept, an empty one not."""
        if len(success_G) < 2:
            return len(success_G) == 1
        inside = self.config.low <= sum(success_G) / len(success_G) <= self.config.high
        return inside and self._variance.admit(success_G)
