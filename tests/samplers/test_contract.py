from __future__ import annotations

import pytest
from pydantic_config import BaseConfig

from curriculum_env.samplers import ScoreSampler, View
from curriculum_env.samplers.adarft import AdarftConfig
from curriculum_env.samplers.band import BandConfig
from curriculum_env.samplers.bucket_bandit import BucketBanditConfig
from curriculum_env.samplers.composite import CompositeConfig
from curriculum_env.samplers.controller import ControllerConfig
from curriculum_env.samplers.custom import CustomConfig
from curriculum_env.samplers.difficulty_pools import DifficultyPoolsConfig
from curriculum_env.samplers.dots import DotsConfig
from curriculum_env.samplers.exp3s import Exp3sConfig
from curriculum_env.samplers.forgetting import ForgettingConfig
from curriculum_env.samplers.gain import GainConfig
from curriculum_env.samplers.greedy import GreedyConfig
from curriculum_env.samplers.greso import GresoConfig
from curriculum_env.samplers.heapa import HeapaConfig
from curriculum_env.samplers.kimi import KimiConfig
from curriculum_env.samplers.learning_progress import LearningProgressConfig
from curriculum_env.samplers.mixture import MixtureConfig
from curriculum_env.samplers.mopps import MoppsConfig
from curriculum_env.samplers.plr import PlrConfig
from curriculum_env.samplers.pr_grpo import PrGrpoConfig
from curriculum_env.samplers.prioritized import PrioritizedConfig
from curriculum_env.samplers.ps import PsConfig
from curriculum_env.samplers.sec import SecConfig
from curriculum_env.samplers.sequential import SequentialConfig
from curriculum_env.samplers.sfl import SflConfig
from curriculum_env.samplers.speed import SpeedConfig
from curriculum_env.samplers.staged import StagedConfig
from curriculum_env.samplers.survival import SurvivalConfig
from curriculum_env.samplers.thompson import ThompsonConfig
from curriculum_env.samplers.tscl import TsclConfig
from curriculum_env.samplers.uniform import UniformConfig
from curriculum_env.testing import SamplerContract
from curriculum_env.types import FloatArray


class Hardest(ScoreSampler):
    """A sampler from outside the package."""

    def score(self, view: View) -> FloatArray:
        return 1.01 - view.estimator.mean()


CONFIGS: list[BaseConfig] = [
    UniformConfig(),
    SequentialConfig(),
    GreedyConfig(),
    ThompsonConfig(),
    ThompsonConfig(shortlist=None),
    BandConfig(),
    SurvivalConfig(),
    GainConfig(),
    GainConfig(by="level", balance=0.5),
    PrioritizedConfig(),
    PrioritizedConfig(bonus="uncertainty"),
    PrGrpoConfig(),
    PrGrpoConfig(alpha=0.3, band=(0.24, 0.7), replay=0.5, batch=4, retest_every=2, retest=0.25),
    StagedConfig(),
    StagedConfig(advance="schedule", steps=1, batch=4),
    LearningProgressConfig(),
    LearningProgressConfig(signed=True),
    MoppsConfig(),
    MoppsConfig(rule="band", decay=None, candidates=2),
    GresoConfig(batch=4),
    AdarftConfig(batch=4),
    AdarftConfig(feature="size", scale=(0.0, 6.0)),
    DifficultyPoolsConfig(),
    KimiConfig(),
    SflConfig(),
    SflConfig(buffer=4, share=1.0),
    PlrConfig(),
    DotsConfig(),
    DotsConfig(reference=8, candidates=16),
    HeapaConfig(),
    HeapaConfig(alpha=0.3, mixed=True, archive_max=8, chunk=3, lineage="child", refresh_every=5),
    PsConfig(),
    CustomConfig(class_path="tests.samplers.test_contract:Hardest"),
    BucketBanditConfig(),
    BucketBanditConfig(by="level", lag=10, every=0, controller=ControllerConfig()),
    TsclConfig(),
    TsclConfig(teacher="window", policy="boltzmann"),
    Exp3sConfig(),
    SecConfig(batch_groups=4),
    CompositeConfig(),
    CompositeConfig(over=TsclConfig(teacher="naive"), inside=PrGrpoConfig()),
    MixtureConfig(quotas={"d": 0.5}, rest="signal"),
    ForgettingConfig(solved=4, confidence=0.5),
    ForgettingConfig(inside=MixtureConfig()),
    SpeedConfig(),
]


class TestSamplers(SamplerContract):
    @pytest.fixture(autouse=True, params=CONFIGS, ids=lambda config: str(config.model_dump()))
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.config: BaseConfig = request.param

    def make(self) -> BaseConfig:
        return self.config
