"""In proportion to a smoothed failure rate: the baseline that HeaPA compares itself with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import in_proportion, joined
from curriculum_env.types import Group, Row


class PsConfig(BaseConfig):
    """Settings of `Ps`."""

    type: Literal["ps"] = "ps"
    """In proportion to a smoothed failure rate; rows without a graded group go first."""
    smoothing: float = Field(default=0.1, gt=0)
    """Added to the failure rate, so that solved rows come back."""
    temperature: float = Field(default=1.0, gt=0)
    """The higher, the more evenly."""


class Ps(Sampler):
    """P ~ (1 - s + smoothing)^(1/temperature), s the mean success over a row's groups (Wang et al.,
    HeaPA, arXiv 2601.22448: their prioritized sampling; the formula is that of their code). Rows
    without a graded group go first, in the order of the pool.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: PsConfig | None = None) -> None:
        self.config = config or PsConfig()
        self._memory = Memory(success=0.0, groups=0.0)

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)

    def observe(self, group: Group) -> None:
        success_N, groups_N = self._memory["success"], self._memory["groups"]
        latest = sum(group.success_G) / len(group.success_G)
        groups_N[group.row] += 1.0
        success_N[group.row] += (latest - success_N[group.row]) / groups_N[group.row]

    def select(self, n: int, view: View) -> Choice:
        seen_N = self._memory["groups"] > 0.0
        unseen_K = np.flatnonzero(view.available_N & ~seen_N)[:n]
        first = Choice(unseen_K, np.ones(len(unseen_K)))
        failure_N = 1.0 - self._memory["success"] + self.config.smoothing
        weight_N = np.where(seen_N, failure_N ** (1.0 / self.config.temperature), 0.0)
        return joined(first, in_proportion(weight_N, n - len(unseen_K), view))

    def state_dict(self) -> dict[str, Any]:
        return self._memory.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._memory.load_state_dict(state)
