"""Prioritized prompts: closeness to the target, and a bonus."""

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


class PrioritizedConfig(BaseConfig):
    """Settings of `Prioritized`."""

    type: Literal["prioritized"] = "prioritized"
    """Closeness to the target pass rate, plus a bonus for rows not graded for long."""
    target: float = Field(default=0.5, ge=0, le=1)
    """Pass rate aimed at."""
    margin: float = Field(default=0.05, gt=0)
    """Added to the distance: the closeness is at most 1/margin."""
    bonus: Literal["age", "uncertainty"] = "age"
    """What the bonus is for: batches since the row was last graded, or, as in the literal rule,
    the variance of the belief."""
    weight: float = Field(default=0.05, ge=0)
    """Bonus per batch of age, or per unit of variance."""
    batch: int = Field(default=64, ge=1)
    """Groups in a batch: the unit of age."""


class Prioritized(ScoreSampler):
    """1/(|mean - target| + margin) + weight * bonus.

    The literal bonus is called one for age but holds no age: it is the variance of a Beta belief,
    m(1-m)/(evidence+3), at most 1/12, so at weight .05 it adds at most .0042 to a closeness that
    runs from 1.8 to 20 and decides nothing. The default bonus is a real age: at weight .05 a row
    at a distance of .2 from the target (closeness 4) needs 320 batches to catch up with one at 0.
    """

    def __init__(self, config: PrioritizedConfig | None = None) -> None:
        self.config = config or PrioritizedConfig()
        self._memory = Memory(graded=0.0)
        self._groups = 0

    def add(self, rows: Sequence[Row]) -> None:
        start = len(self._memory)
        self._memory.add(rows)
        self._memory["graded"][start:] = self._groups

    def observe(self, group: Group) -> None:
        self._groups += 1
        self._memory["graded"][group.row] = self._groups

    def score(self, view: View) -> FloatArray:
        distance_N = np.abs(view.estimator.mean() - self.config.target)
        return 1.0 / (distance_N + self.config.margin) + self.config.weight * self._bonus(view)

    def _bonus(self, view: View) -> FloatArray:
        if self.config.bonus == "age":
            return (self._groups - self._memory["graded"]) / self.config.batch
        mean_N, evidence_N = view.estimator.mean(), view.estimator.evidence()
        return mean_N * (1.0 - mean_N) / (evidence_N + 3.0)

    def state_dict(self) -> dict[str, Any]:
        return {"groups": self._groups, "memory": self._memory.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._groups = state["groups"]
        self._memory.load_state_dict(state["memory"])
