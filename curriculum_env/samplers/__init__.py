"""Rules that pick the next rows. To add one: its file, a line in `KINDS`, a parameter of the
contract test, a line of docs."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.band import Band, BandConfig
from curriculum_env.samplers.base import Choice, Sampler, ScoreSampler
from curriculum_env.samplers.custom import CustomConfig, load_custom
from curriculum_env.samplers.greedy import Greedy, GreedyConfig
from curriculum_env.samplers.sequential import Sequential, SequentialConfig
from curriculum_env.samplers.survival import Survival, SurvivalConfig
from curriculum_env.samplers.thompson import Thompson, ThompsonConfig
from curriculum_env.samplers.uniform import Uniform, UniformConfig
from curriculum_env.samplers.view import Pick, View

KINDS: dict[type[BaseConfig], Any] = {
    SurvivalConfig: Survival,
    ThompsonConfig: Thompson,
    GreedyConfig: Greedy,
    BandConfig: Band,
    UniformConfig: Uniform,
    SequentialConfig: Sequential,
    CustomConfig: load_custom,
}

SamplerConfig: TypeAlias = Annotated[
    SurvivalConfig
    | ThompsonConfig
    | GreedyConfig
    | BandConfig
    | UniformConfig
    | SequentialConfig
    | CustomConfig,
    Field(discriminator="type"),
]

__all__ = [
    "KINDS",
    "Choice",
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
