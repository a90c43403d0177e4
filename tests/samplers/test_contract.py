from __future__ import annotations

import pytest
from pydantic_config import BaseConfig

from curriculum_env.samplers import ScoreSampler, View
from curriculum_env.samplers.band import BandConfig
from curriculum_env.samplers.custom import CustomConfig
from curriculum_env.samplers.greedy import GreedyConfig
from curriculum_env.samplers.sequential import SequentialConfig
from curriculum_env.samplers.survival import SurvivalConfig
from curriculum_env.samplers.thompson import ThompsonConfig
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
    CustomConfig(class_path="tests.samplers.test_contract:Hardest"),
]


class TestSamplers(SamplerContract):
    @pytest.fixture(autouse=True, params=CONFIGS, ids=lambda config: str(config.model_dump()))
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.config: BaseConfig = request.param

    def make(self) -> BaseConfig:
        return self.config
