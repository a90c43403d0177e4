"""Prioritized level replay: by rank of the last learning signal, and by staleness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import evenly, in_proportion, joined, scaled, shuffled
from curriculum_env.types import BoolArray, FloatArray, Group, IntArray, Row

_UNSEEN = -1.0


class PlrConfig(BaseConfig):
    """Settings of `Plr`."""

    type: Literal["plr"] = "plr"
    """By rank of the mean absolute advantage of the last group, and by staleness."""
    temperature: float = Field(default=0.1, gt=0)
    """Beta of the paper: the lower, the more the first ranks weigh."""
    staleness: float = Field(default=0.1, ge=0, le=1)
    """Rho of the paper: the part of the probability given by staleness."""


class Plr(Sampler):
    """(1-rho) * P_score + rho * P_stale, with P_score ~ (1/rank)^(1/beta) and P_stale ~ draws
    since the row's own (Jiang, Grefenstette, Rocktaschel, arXiv 2010.03934, and their code).

    The score is the mean absolute advantage of the last group, as theirs is the mean absolute
    GAE. A draw replays with the probability that a row has been seen, else it is a row not seen
    yet. Ranks run over the available rows.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: PlrConfig | None = None) -> None:
        self.config = config or PlrConfig()
        self._memory = Memory(score=_UNSEEN, draw=0.0)
        self._newest = 0

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)

    def observe(self, group: Group) -> None:
        size = len(group.success_G)
        mean = sum(group.success_G) / size
        advantage = sum(abs(success - mean) for success in group.success_G) / size
        self._memory["score"][group.row] = advantage
        self._memory["draw"][group.row] = group.draw
        self._newest = max(self._newest, group.draw)

    def select(self, n: int, view: View) -> Choice:
        seen_N = self._memory["score"] != _UNSEEN
        share = float(seen_N.mean()) if len(seen_N) else 0.0
        unseen_C = np.flatnonzero(view.available_N & ~seen_N)
        replays = int((view.rng.random(n) < share).sum())
        replays = max(replays, n - len(unseen_C))
        weight_N = self.probabilities(seen_N & view.available_N)
        replayed = scaled(in_proportion(weight_N, replays, view), share)
        fresh = evenly(unseen_C, n - len(replayed.rows_K), view)
        return shuffled(joined(replayed, scaled(fresh, 1.0 - share)), view)

    def probabilities(self, among_N: BoolArray) -> FloatArray:
        """The probability of each row among those given; 0 for all others."""
        rows_S: IntArray = np.flatnonzero(among_N)
        p_N = np.zeros(len(among_N))
        if len(rows_S):
            rho = self.config.staleness
            ranked_S, stale_S = self._ranked(rows_S), self._stale(rows_S)
            p_N[rows_S] = (1.0 - rho) * ranked_S + rho * stale_S
        return p_N

    def _ranked(self, rows_S: IntArray) -> FloatArray:
        order = np.argsort(-self._memory["score"][rows_S], kind="stable")
        rank_S = np.empty(len(rows_S))
        rank_S[order] = np.arange(1.0, len(rows_S) + 1.0)
        weight_S = rank_S ** (-1.0 / self.config.temperature)
        return np.asarray(weight_S / weight_S.sum())

    def _stale(self, rows_S: IntArray) -> FloatArray:
        age_S = np.maximum(self._newest - self._memory["draw"][rows_S], 0.0)
        total = age_S.sum()
        return age_S / total if total > 0.0 else np.full(len(rows_S), 1.0 / len(rows_S))

    def state_dict(self) -> dict[str, Any]:
        return {"newest": self._newest, "memory": self._memory.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._newest = state["newest"]
        self._memory.load_state_dict(state["memory"])
