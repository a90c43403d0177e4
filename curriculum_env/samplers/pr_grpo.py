"""A heap of rows by p(1-p), with the solved and the unsolved ones retested now and then."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.heap import PriorityHeap
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import evenly, joined, scaled, shuffled
from curriculum_env.types import Group, Row

_UNSEEN = -1.0


class PrGrpoConfig(BaseConfig):
    """Settings of `PrGrpo`."""

    type: Literal["pr-grpo"] = "pr-grpo"
    """The rows of the greatest p(1-p), from a heap; solved and unsolved rows are retested."""
    alpha: float = Field(default=1.0, gt=0, le=1)
    """Weight of the newest group in a row's pass rate (1: the latest group alone)."""
    unseen: float = Field(default=0.25, ge=0)
    """Priority of a row without a graded group."""
    epsilon: float = Field(default=0.1, ge=0, le=1)
    """Share of the draws that goes to any row."""
    retest_every: int = Field(default=10, ge=1)
    """Batches between retests of solved and of unsolved rows."""
    retest: float = Field(default=0.05, ge=0, le=0.5)
    """Share of a batch that a retest takes from each of the two pools."""
    batch: int = Field(default=64, ge=1)
    """Groups in a batch."""
    band: tuple[float, float] | None = None
    """Least and greatest pass rate of a row in the heap; unset, any but 0 and 1. Prompt Replay
    uses [0.24, 0.7]."""
    replay: float | None = Field(default=None, ge=0, le=1)
    """Greatest share of rows seen before, while there are others; unset, the priorities decide.
    Prompt Replay uses 0.5."""

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if self.band is not None and not 0.0 <= self.band[0] < self.band[1] <= 1.0:
            raise ValueError(f"band is {list(self.band)}; expected two rising pass rates in [0, 1]")
        return self


class PrGrpo(Sampler):
    """Priority p(1-p) in a binary max-heap. Rows solved (k = G) or unsolved (k = 0) leave it for
    two queues, of which the longest waiting are retested (Fatemi, arXiv 2601.02648; how p is
    estimated, the interval of the retests and epsilon are not given there).

    With `band` and `replay`, `cooldown` at 5 batches and `max_reuse = 5` of the curriculum, it is
    Prompt Replay (arXiv 2603.21177): then rows outside the band join the two queues, and rows not
    seen yet fill what replay leaves.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: PrGrpoConfig | None = None) -> None:
        self.config = config or PrGrpoConfig()
        self._memory = Memory(p=_UNSEEN)
        self._ties = np.empty(0, np.int64)
        self._heap = PriorityHeap()
        self._solved: dict[int, None] = {}
        self._unsolved: dict[int, None] = {}
        self._groups = self._tested = 0

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)
        ties = np.array([zlib.crc32(row.uid.encode()) for row in rows], dtype=np.int64)
        self._ties = np.append(self._ties, ties)
        self._heap.add(np.full(len(rows), self._unseen), ties)

    def observe(self, group: Group) -> None:
        row, latest = group.row, sum(group.success_G) / len(group.success_G)
        old = float(self._memory["p"][row])
        p = latest if old == _UNSEEN else old + self.config.alpha * (latest - old)
        self._memory["p"][row] = p
        self._groups += 1
        self._place(row, latest, p)

    def _place(self, row: int, latest: float, p: float) -> None:
        """Put the row into the heap or at the end of a queue."""
        self._solved.pop(row, None)
        self._unsolved.pop(row, None)
        low, high = self.config.band or (0.0, 1.0)
        if latest == 1.0 or p > high:
            self._solved[row] = None
        elif latest == 0.0 or p < low:
            self._unsolved[row] = None
        else:
            self._heap.set(row, p * (1.0 - p))
            return
        self._heap.remove(row)

    @property
    def _unseen(self) -> float:
        """The priority of an unseen row; NaN where unseen rows are no part of the heap."""
        return self.config.unseen if self.config.replay is None else math.nan

    def select(self, n: int, view: View) -> Choice:
        retested = self._retests(n, view)
        left = n - len(retested.rows_K)
        random = int((view.rng.random(left) < self.config.epsilon).sum())
        anywhere = evenly(np.flatnonzero(view.available_N), random, view)
        base = joined(retested, scaled(anywhere, self.config.epsilon or 1.0))
        fresh = self._fresh(n - len(base.rows_K), view)
        base = joined(base, scaled(fresh, 1.0 - self.config.epsilon or 1.0))
        rest = self._ranked(n - len(base.rows_K), set(base.rows_K.tolist()), view)
        return shuffled(joined(base, scaled(_sure(rest), 1.0 - self.config.epsilon or 1.0)), view)

    def _retests(self, n: int, view: View) -> Choice:
        """A share of a batch from the front of each queue, where a retest is due; one that was
        missed is not made up for."""
        due = self._groups // (self.config.batch * self.config.retest_every)
        if due <= self._tested:
            return _sure([])
        self._tested = due
        count = round(self.config.retest * self.config.batch)
        solved, unsolved = self._waiting(self._solved, view), self._waiting(self._unsolved, view)
        return _sure([*solved[:count], *unsolved[:count]][:n])

    def _waiting(self, queue: dict[int, None], view: View) -> list[int]:
        """The available rows of a queue, the longest waiting first."""
        rows = np.fromiter(queue, np.int64, len(queue))
        available: list[int] = rows[view.available_N[rows]].tolist()
        return available

    def _fresh(self, n: int, view: View) -> Choice:
        """The unseen rows that `replay` asks for."""
        if self.config.replay is None:
            return _sure([])
        unseen_C = np.flatnonzero(view.available_N & (self._memory["p"] == _UNSEEN))
        return evenly(unseen_C, n - int(self.config.replay * n), view)

    def _ranked(self, n: int, taken: set[int], view: View) -> list[int]:
        """Rows to fill up with: the heap's best, then unseen ones, then those of the queues."""
        best = self._heap.best(n, lambda row: bool(view.available_N[row]) and row not in taken)
        if len(best) == n:
            return best
        unseen = np.flatnonzero(view.available_N & (self._memory["p"] == _UNSEEN))
        queued = [*self._waiting(self._unsolved, view), *self._waiting(self._solved, view)]
        listed = [*view.rng.permutation(unseen).tolist(), *queued]
        outside = [row for row in listed if row not in taken and row not in self._heap]
        return [*best, *outside][:n]

    def state_dict(self) -> dict[str, Any]:
        return {
            "groups": self._groups,
            "tested": self._tested,
            "memory": self._memory.state_dict(),
            "solved": [self._memory.uids[row] for row in self._solved],
            "unsolved": [self._memory.uids[row] for row in self._unsolved],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._groups, self._tested = state["groups"], state["tested"]
        self._memory.load_state_dict(state["memory"])
        self._solved = self._queue(state["solved"])
        self._unsolved = self._queue(state["unsolved"])
        p_N = self._memory["p"]
        priority_N = np.where(p_N == _UNSEEN, self._unseen, p_N * (1.0 - p_N))
        priority_N[[*self._solved, *self._unsolved]] = math.nan
        self._heap.fill(priority_N, self._ties)

    def _queue(self, uids: Sequence[str]) -> dict[int, None]:
        return {int(row): None for row in self._memory.find(uids) if row >= 0}

    def metrics(self) -> dict[str, float]:
        return {
            "heap": float(len(self._heap)),
            "solved": float(len(self._solved)),
            "unsolved": float(len(self._unsolved)),
        }


def _sure(rows: list[int]) -> Choice:
    """Rows that the rule has no choice about."""
    return Choice(np.array(rows, dtype=np.int64), np.ones(len(rows)))
