"""Each rule starts from the numbers of its source."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from curriculum_env.estimators import AnchorsConfig, BetaConfig
from curriculum_env.samplers.adarft import AdarftConfig
from curriculum_env.samplers.band import BandConfig
from curriculum_env.samplers.bucket_bandit import BucketBanditConfig
from curriculum_env.samplers.difficulty_pools import DifficultyPoolsConfig
from curriculum_env.samplers.dots import DotsConfig
from curriculum_env.samplers.exp3s import Exp3sConfig
from curriculum_env.samplers.greedy import GreedyConfig
from curriculum_env.samplers.greso import GresoConfig
from curriculum_env.samplers.mopps import MoppsConfig
from curriculum_env.samplers.plr import PlrConfig
from curriculum_env.samplers.pr_grpo import PrGrpoConfig
from curriculum_env.samplers.prioritized import PrioritizedConfig
from curriculum_env.samplers.sfl import SflConfig
from curriculum_env.samplers.speed import SpeedConfig
from curriculum_env.samplers.thompson import ThompsonConfig
from curriculum_env.samplers.tscl import TsclConfig

PUBLISHED: list[tuple[BaseModel, dict[str, Any]]] = [
    (GreedyConfig(), {"target": 0.5}),
    (ThompsonConfig(), {"target": 0.5, "shortlist": 300}),
    (BandConfig(), {"low": 0.2, "high": 0.8, "target": 0.5}),
    (PrioritizedConfig(), {"target": 0.5, "margin": 0.05}),
    (PrGrpoConfig(), {"unseen": 0.25, "epsilon": 0.1, "retest_every": 10, "retest": 0.05}),
    (MoppsConfig(), {"candidates": 16, "band": (0.3, 0.7), "decay": 0.5}),
    (GresoConfig(), {"easy": 0.98, "hard": 0.11, "start": 0.5, "step": 0.01, "floor": 0.01}),
    (GresoConfig(), {"bounds": (0.05, 0.95), "target": 0.25, "easy_part": 1 / 3}),
    (SpeedConfig(), {"screen": 4, "more": 20}),
    (AdarftConfig(), {"step": 50.0, "sensitivity": 2.0, "reward": 0.5, "scale": (0.0, 100.0)}),
    (DifficultyPoolsConfig(), {"thresholds": (0.25, 0.75), "weights": (0.2, 1.0, 0.2)}),
    (DifficultyPoolsConfig(), {"unseen": 1.0}),
    (SflConfig(), {"share": 0.5}),
    (PlrConfig(), {"temperature": 0.1, "staleness": 0.1}),
    (DotsConfig(), {"target": 0.5, "temperature": 1e-3, "reference": 256}),
    (BucketBanditConfig(), {"window": 100, "lag": None, "tension": "signal", "every": 20.0}),
    (TsclConfig(), {"learning_rate": 0.1, "window": 10, "epsilon": 0.1, "temperature": 4e-4}),
    (Exp3sConfig(), {"eta": 1e-3, "beta": 0.0, "epsilon": 0.05}),
    (BetaConfig(), {"prior": (1.0, 1.0), "decay_prior": False}),
    (AnchorsConfig(), {"forget": 0.2, "implicit": 0.2, "rollouts": 16.0, "capability_decay": 0.9}),
]


@pytest.mark.parametrize(("config", "numbers"), PUBLISHED, ids=lambda value: type(value).__name__)
def test_the_numbers_of_the_source(config: BaseModel, numbers: dict[str, Any]) -> None:
    assert {name: getattr(config, name) for name in numbers} == numbers
