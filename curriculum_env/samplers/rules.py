"""The rules that look at rows. Rules over buckets (`composite`, `mixture`, ...) may hold one of
them inside. To add one: its file, a line in `RULES` and in `Rule`, a parameter of the contract
test, a page of docs."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.adarft import Adarft, AdarftConfig
from curriculum_env.samplers.band import Band, BandConfig
from curriculum_env.samplers.base import Sampler
from curriculum_env.samplers.custom import CustomConfig, load_custom
from curriculum_env.samplers.difficulty_pools import DifficultyPools, DifficultyPoolsConfig
from curriculum_env.samplers.dots import Dots, DotsConfig
from curriculum_env.samplers.gain import Gain, GainConfig
from curriculum_env.samplers.greedy import Greedy, GreedyConfig
from curriculum_env.samplers.greso import Greso, GresoConfig
from curriculum_env.samplers.heapa import Heapa, HeapaConfig
from curriculum_env.samplers.kimi import Kimi, KimiConfig
from curriculum_env.samplers.learning_progress import LearningProgress, LearningProgressConfig
from curriculum_env.samplers.mopps import Mopps, MoppsConfig
from curriculum_env.samplers.plr import Plr, PlrConfig
from curriculum_env.samplers.pr_grpo import PrGrpo, PrGrpoConfig
from curriculum_env.samplers.prioritized import Prioritized, PrioritizedConfig
from curriculum_env.samplers.ps import Ps, PsConfig
from curriculum_env.samplers.sequential import Sequential, SequentialConfig
from curriculum_env.samplers.sfl import Sfl, SflConfig
from curriculum_env.samplers.staged import Staged, StagedConfig
from curriculum_env.samplers.survival import Survival, SurvivalConfig
from curriculum_env.samplers.thompson import Thompson, ThompsonConfig
from curriculum_env.samplers.uniform import Uniform, UniformConfig

RULES: dict[type[BaseConfig], Any] = {
    GainConfig: Gain,
    SurvivalConfig: Survival,
    ThompsonConfig: Thompson,
    GreedyConfig: Greedy,
    BandConfig: Band,
    PrioritizedConfig: Prioritized,
    PrGrpoConfig: PrGrpo,
    StagedConfig: Staged,
    LearningProgressConfig: LearningProgress,
    MoppsConfig: Mopps,
    GresoConfig: Greso,
    AdarftConfig: Adarft,
    DifficultyPoolsConfig: DifficultyPools,
    KimiConfig: Kimi,
    SflConfig: Sfl,
    PlrConfig: Plr,
    DotsConfig: Dots,
    HeapaConfig: Heapa,
    PsConfig: Ps,
    UniformConfig: Uniform,
    SequentialConfig: Sequential,
    CustomConfig: load_custom,
}

Rule: TypeAlias = (
    GainConfig
    | SurvivalConfig
    | ThompsonConfig
    | GreedyConfig
    | BandConfig
    | PrioritizedConfig
    | PrGrpoConfig
    | StagedConfig
    | LearningProgressConfig
    | MoppsConfig
    | GresoConfig
    | AdarftConfig
    | DifficultyPoolsConfig
    | KimiConfig
    | SflConfig
    | PlrConfig
    | DotsConfig
    | HeapaConfig
    | PsConfig
    | UniformConfig
    | SequentialConfig
    | CustomConfig
)

RuleConfig: TypeAlias = Annotated[Rule, Field(discriminator="type")]


def build_rule(config: BaseConfig) -> Sampler:
    """The rule that `config` describes."""
    rule: Sampler = RULES[type(config)](config)
    return rule
