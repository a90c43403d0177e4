"""Whether a graded group is worth training on, and drawing on until enough are."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.gates.band import BandGate, BandGateConfig
from curriculum_env.gates.base import Gate
from curriculum_env.gates.refill import Refill, fill
from curriculum_env.gates.variance import Variance, VarianceConfig

KINDS: dict[type[BaseConfig], Any] = {VarianceConfig: Variance, BandGateConfig: BandGate}

GateConfig: TypeAlias = Annotated[VarianceConfig | BandGateConfig, Field(discriminator="type")]

__all__ = [
    "KINDS",
    "BandGate",
    "BandGateConfig",
    "Gate",
    "GateConfig",
    "Refill",
    "Variance",
    "VarianceConfig",
    "build_gate",
    "fill",
]


def build_gate(config: BaseConfig) -> Gate:
    """The gate that `config` describes."""
    gate: Gate = KINDS[type(config)](config)
    return gate
