"""The rules that look at rows. Rules over buckets (`composite`, `mixture`, ...) may hold one of
them inside. To add one: its file, a line in `RULES` and in `Rule`, a parameter of the contract
test, a page of docs."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.band import Band, BandConfig
from curriculum_env.samplers.base import Sampler
from curriculum_env.samplers.custom import CustomConfig, load_custom
from curriculum_env.samplers.greedy import Greedy, GreedyConfig
from curriculum_env.samplers.sequential import Sequential, SequentialConfig
from curriculum_env.samplers.survival import Survival, SurvivalConfig
from curriculum_env.samplers.thompson import Thompson, ThompsonConfig
from curriculum_env.samplers.uniform import Uniform, UniformConfig

RULES: dict[type[BaseConfig], Any] = {
    SurvivalConfig: Survival,
    ThompsonConfig: Thompson,
    GreedyConfig: Greedy,
    BandConfig: Band,
    UniformConfig: Uniform,
    SequentialConfig: Sequential,
    CustomConfig: load_custom,
}

Rule: TypeAlias = (
    SurvivalConfig
    | ThompsonConfig
    | GreedyConfig
    | BandConfig
    | UniformConfig
    | SequentialConfig
    | CustomConfig
)

RuleConfig: TypeAlias = Annotated[Rule, Field(discriminator="type")]


def build_rule(config: BaseConfig) -> Sampler:
    """The rule that `config` describes."""
    rule: Sampler = RULES[type(config)](config)
    return rule
