"""The rows whose mean lies nearest the target pass rate."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import ScoreSampler
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray


class GreedyConfig(BaseConfig):
    """Settings of `Greedy`."""

    type: Literal["greedy"] = "greedy"
    """The rows whose mean lies nearest the target."""
    target: float = Field(default=0.5, ge=0, le=1)
    """Pass rate aimed at."""
    temperature: float = Field(default=0.1, gt=0)
    """Distance from the target that costs a factor e where rows are picked in proportion."""


class Greedy(ScoreSampler):
    """exp(-|mean - target| / temperature): the order of -|mean - target|, and a softmax of it."""

    def __init__(self, config: GreedyConfig | None = None) -> None:
        self.config = config or GreedyConfig()

    def score(self, view: View) -> FloatArray:
        distance_N = np.abs(view.estimator.mean() - self.config.target)
        return np.asarray(np.exp(-distance_N / self.config.temperature))
