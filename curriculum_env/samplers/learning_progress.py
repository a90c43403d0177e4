"""The rows whose pass rate is changing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import ScoreSampler
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, Group, Row

_UNSEEN = -1.0


class LearningProgressConfig(BaseConfig):
    """Settings of `LearningProgress`."""

    type: Literal["learning-progress"] = "learning-progress"
    """The rows whose average pass rate changed most at their last group."""
    alpha: float = Field(default=0.2, gt=0, le=1)
    """Weight of the newest group in the average."""
    signed: bool = False
    """Whether only a rise counts; else a fall counts as much."""
    floor: float = Field(default=0.02, gt=0)
    """Weight of a row without progress, and of one graded less than twice."""


class LearningProgress(ScoreSampler):
    """floor + |change of the row's EMA|, or floor + max(change, 0).

    The change at a group is alpha * (k/G - EMA) (chapter on curricula; TSCL, Matiisen et al.,
    arXiv 1707.00183, whose code takes the signed form). The first group sets the average and is no
    progress. Of a row that stands still, chance alone makes E|change| about
    .8 * alpha * sqrt(2/(2-alpha) * p(1-p)/G): .030 at p = .5, G = 8.
    """

    def __init__(self, config: LearningProgressConfig | None = None) -> None:
        self.config = config or LearningProgressConfig()
        self._memory = Memory(average=_UNSEEN, change=0.0)

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)

    def observe(self, group: Group) -> None:
        average_N, mean = self._memory["average"], sum(group.success_G) / len(group.success_G)
        if average_N[group.row] == _UNSEEN:
            average_N[group.row] = mean
            return
        change = self.config.alpha * (mean - average_N[group.row])
        average_N[group.row] += change
        self._memory["change"][group.row] = change

    def score(self, view: View) -> FloatArray:
        change_N = self._memory["change"]
        progress_N = np.maximum(change_N, 0.0) if self.config.signed else np.abs(change_N)
        return self.config.floor + progress_N

    def state_dict(self) -> dict[str, Any]:
        return self._memory.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._memory.load_state_dict(state)
