"""Rules that pick the next rows: those that look at rows (`rules`), and those that look at buckets
of them and may hold a rule inside."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Followup, Sampler, ScoreSampler
from curriculum_env.samplers.rules import RULES, Rule
from curriculum_env.samplers.view import Pick, View

KINDS: dict[type[BaseConfig], Any] = {**RULES}

SamplerConfig: TypeAlias = Annotated[Rule, Field(discriminator="type")]

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
