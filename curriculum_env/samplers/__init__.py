"""Rules that pick the next rows: those that look at rows (`rules`), and those that look at buckets
of them and may hold a rule inside."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Followup, Sampler, ScoreSampler
from curriculum_env.samplers.composite import (
    BANDITS,
    CompositeConfig,
    OneBandit,
    build_bandit,
    build_composite,
)
from curriculum_env.samplers.forgetting import ForgettingConfig, build_forgetting
from curriculum_env.samplers.mixture import Mixture, MixtureConfig
from curriculum_env.samplers.rules import RULES, Rule
from curriculum_env.samplers.speed import Speed, SpeedConfig
from curriculum_env.samplers.view import Pick, View

KINDS: dict[type[BaseConfig], Any] = {
    **RULES,
    **dict.fromkeys(BANDITS, build_bandit),
    CompositeConfig: build_composite,
    MixtureConfig: Mixture,
    SpeedConfig: Speed,
    ForgettingConfig: build_forgetting,
}

SamplerConfig: TypeAlias = Annotated[
    Rule | OneBandit | CompositeConfig | MixtureConfig | SpeedConfig | ForgettingConfig,
    Field(discriminator="type"),
]

__all__ = [
    "KINDS",
    "Choice",
    "Followup",
    "Pick",
    "Sampler",
    "SamplerConfig",
    "ScoreSampler",
    "View",
    "build_sampler",
]


def build_sampler(config: BaseConfig) -> Sampler:
    """The sampler that `config` describes."""
    sampler: Sampler = KINDS[type(config)](config)
    return sampler
