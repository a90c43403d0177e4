"""Skipping rows whose groups have been all alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import in_proportion
from curriculum_env.types import FloatArray, Group, Row

Kind = Literal["easy", "hard"]


class GresoConfig(BaseConfig):
    """Settings of `Greso`."""

    type: Literal["greso"] = "greso"
    """Rows at random, each the more likely to be skipped the more of its last groups in a row
    were all right or all wrong."""
    easy: float = Field(default=0.98, ge=0, le=1)
    """Group mean from which a group is all right."""
    hard: float = Field(default=0.11, ge=0, le=1)
    """Group mean up to which a group is all wrong."""
    mixed: bool = False
    """Whether a group of such a mean counts although its rewards differ, as in the published
    code; in the paper only a group without variance counts."""
    start: float = Field(default=0.5, gt=0, le=1)
    """Chance to keep a row whose last group was all right or all wrong, at first."""
    step: float = Field(default=0.01, ge=0)
    """Change of that chance per batch."""
    bounds: tuple[float, float] = (0.05, 0.95)
    """The least and the greatest that chance may become."""
    floor: float = Field(default=0.01, gt=0, le=1)
    """Least chance to keep a row, whatever its past."""
    target: float = Field(default=0.25, ge=0, le=1)
    """Share of groups without variance aimed at."""
    easy_part: float = Field(default=1 / 3, ge=0, le=1)
    """Part of that share allowed to groups that are all right; the rest to those all wrong."""
    batch: int = Field(default=64, ge=1)
    """Groups after which the chances are adjusted."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.hard < self.easy:
            raise ValueError(f"hard is {self.hard}, easy is {self.easy}; expected hard < easy")
        return self


@dataclass(slots=True)
class _Keep:
    """The chance p for one kind of group, and how many of the kind this batch had."""

    p: float
    count: int = 0


class Greso(Sampler):
    """Skipped with probability 1 - max(p^z, floor), z the number of trailing groups that were all
    right (or all wrong); per batch p falls by `step` where such groups exceed their target share
    and rises otherwise (Zheng et al., arXiv 2506.02177, and the authors' code).

    The paper walks through shuffled epochs and skips as it goes. Here rows come at random, which
    makes the choice one in proportion to max(p^z, floor); the cooldown stands for the epoch. The
    paper's refill of a batch (1.25 times what is missing, 64 to 384 at a time) is the loop's work.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: GresoConfig | None = None) -> None:
        self.config = config or GresoConfig()
        self._memory = Memory(easy=0.0, hard=0.0)
        self._keep: dict[Kind, _Keep] = {
            "easy": _Keep(self.config.start),
            "hard": _Keep(self.config.start),
        }
        self._groups = 0

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)

    def observe(self, group: Group) -> None:
        found = self._kind(group)
        for kind, keep in self._keep.items():
            streak_N = self._memory[kind]
            streak_N[group.row] = streak_N[group.row] + 1.0 if kind == found else 0.0
            keep.count += kind == found
        self._groups += 1
        if self._groups == self.config.batch:
            self._adjust()

    def _kind(self, group: Group) -> Kind | None:
        if group.alive and not self.config.mixed:
            return None
        mean = sum(group.success_G) / len(group.success_G)
        if mean >= self.config.easy:
            return "easy"
        return "hard" if mean <= self.config.hard else None

    def _adjust(self) -> None:
        config = self.config
        parts: dict[Kind, float] = {"easy": config.easy_part, "hard": 1.0 - config.easy_part}
        for kind, keep in self._keep.items():
            over = keep.count / self._groups > config.target * parts[kind]
            moved = keep.p + (-config.step if over else config.step)
            keep.p, keep.count = min(max(moved, config.bounds[0]), config.bounds[1]), 0
        self._groups = 0

    def keep(self) -> FloatArray:
        """The probability, in (0, 1], that each row is not skipped."""
        keep_N = np.ones(len(self._memory))
        for kind, keep in self._keep.items():
            keep_N *= keep.p ** self._memory[kind]
        return np.maximum(keep_N, self.config.floor)

    def select(self, n: int, view: View) -> Choice:
        return in_proportion(self.keep(), n, view)

    def state_dict(self) -> dict[str, Any]:
        keep = {kind: asdict(keep) for kind, keep in self._keep.items()}
        return {"groups": self._groups, "keep": keep, "memory": self._memory.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._groups = state["groups"]
        self._keep = {kind: _Keep(**state["keep"][kind]) for kind in self._keep}
        self._memory.load_state_dict(state["memory"])

    def metrics(self) -> dict[str, float]:
        return {f"keep_{kind}": keep.p for kind, keep in self._keep.items()}
