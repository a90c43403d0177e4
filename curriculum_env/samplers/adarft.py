"""A target difficulty that follows the mean reward."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.difficulty import Difficulty
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import nearest
from curriculum_env.types import Group, Row


class AdarftConfig(BaseConfig):
    """Settings of `Adarft`."""

    type: Literal["adarft"] = "adarft"
    """The rows nearest a target difficulty that rises and falls with the mean reward."""
    start: float = Field(default=0.0, ge=0, le=100)
    """Target difficulty at first, on a scale of 0 to 100."""
    step: float = Field(default=50.0, ge=0)
    """Greatest change of the target per batch."""
    sensitivity: float = Field(default=2.0, gt=0)
    """How sharply the change answers to the reward."""
    reward: float = Field(default=0.5, ge=0, le=1)
    """Mean success at which the target stays."""
    batch: int = Field(default=64, ge=1)
    """Groups after which the target moves."""
    feature: str | None = None
    """Feature that holds the difficulty of a row without offline rollouts; unset, its level's
    place among all levels says it."""
    scale: tuple[float, float] = (0.0, 100.0)
    """The feature's value for the easiest and for the hardest row (it may fall)."""
    order: list[str] | None = None
    """The levels from easy to hard; unset, they are sorted as numbers and words."""

    @model_validator(mode="after")
    def _two_ends(self) -> Self:
        low, high = self.scale
        if not (math.isfinite(low) and math.isfinite(high) and low != high):
            raise ValueError(f"scale is [{low}, {high}]; expected two different finite numbers")
        return self


class Adarft(Sampler):
    """d <- clip(d + step * tanh(sensitivity * (mean - reward)), 0, 100) per batch; the rows nearest
    d in difficulty (Shi et al., arXiv 2504.05520, and their code). A row's difficulty is fixed:
    100 * (1 - offline pass rate), as theirs is; where there is none, see `Difficulty`.

    Raises:
        ConfigError: the rows have nothing to order them by.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: AdarftConfig | None = None) -> None:
        self.config = config or AdarftConfig()
        self.target = self.config.start
        self._difficulty = Difficulty(self.config.feature, self.config.scale, self.config.order)
        self.difficulty_N = np.empty(0)
        self._groups = self._rollouts = 0
        self._success = 0.0

    def add(self, rows: Sequence[Row]) -> None:
        self.difficulty_N = self._difficulty.add(rows)

    def observe(self, group: Group) -> None:
        self._groups += 1
        self._rollouts += len(group.success_G)
        self._success += sum(group.success_G)
        if self._groups == self.config.batch:
            self._move(self._success / self._rollouts)
            self._groups, self._rollouts, self._success = 0, 0, 0.0

    def _move(self, mean: float) -> None:
        config = self.config
        change = config.step * math.tanh(config.sensitivity * (mean - config.reward))
        self.target = min(max(self.target + change, 0.0), 100.0)

    def select(self, n: int, view: View) -> Choice:
        return nearest(np.abs(self.difficulty_N - self.target), n, view)

    def state_dict(self) -> dict[str, Any]:
        return {
            "target": self.target,
            "groups": self._groups,
            "rollouts": self._rollouts,
            "success": self._success,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.target, self._success = state["target"], state["success"]
        self._groups, self._rollouts = state["groups"], state["rollouts"]

    def metrics(self) -> dict[str, float]:
        return {"target_difficulty": self.target}
