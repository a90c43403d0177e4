"""Difficulty predicted from a reference set, and rows drawn sharply around the target."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.features import Features
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View, smallest
from curriculum_env.samplers.weighted import evenly, in_proportion, joined, scaled, shuffled
from curriculum_env.types import FloatArray, Group, IntArray, Row

_UNSEEN, _LEAST = -1.0, 1e-300


class DotsConfig(BaseConfig):
    """Settings of `Dots`."""

    type: Literal["dots"] = "dots"
    """Rows whose difficulty, predicted from a reference set, is nearest the target."""
    target: float = Field(default=0.5, ge=0, le=1)
    """Difficulty (failure rate) aimed at."""
    temperature: float = Field(default=1e-3, gt=0)
    """Distance from the target that costs a factor e."""
    reference: int = Field(default=256, ge=1)
    """Rows of the reference set, at most half the pool."""
    share: float = Field(default=0.2, ge=0, lt=1)
    """Share of the draws that rolls the reference set out again."""
    bandwidth: float = Field(default=0.25, gt=0)
    """Difference of features that costs a reference row a factor e of its say."""
    candidates: int = Field(default=4096, ge=1)
    """Random rows whose difficulty is predicted for one choice, at least twice as many as are
    asked for."""


class Dots(Sampler):
    """P ~ exp(-|d - target| / temperature) without replacement, d the difficulty predicted from
    the latest groups of a reference set (Sun et al., arXiv 2506.05316).

    The paper weighs the reference by attention over embeddings of the questions, with a trained
    adapter and a calibration; here the say of a reference row is exp(-difference of features /
    bandwidth), see `Features`: no text, nothing trained, so rows of the same features are alike,
    and in a pool without any the rule is uniform. The paper rolls its 256 references out every
    two steps of 512: a fifth of all rollouts, hence `share`; those never rolled out come first.
    Its replay of rollouts is no part of the rule.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: DotsConfig | None = None) -> None:
        self.config = config or DotsConfig()
        self._memory = Memory(latest=_UNSEEN, graded=0.0)
        self._features = Features()
        self._hash_N = np.empty(0, np.int64)
        self.reference_R = np.empty(0, np.int64)
        self._groups = 0

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)
        self._features.add(rows)
        hashes = np.array([zlib.crc32(row.uid.encode()) for row in rows], dtype=np.int64)
        self._hash_N = np.append(self._hash_N, hashes)
        size = min(self.config.reference, max(len(self._memory) // 2, 1))
        self.reference_R = smallest(self._hash_N.astype(np.float64), size)

    def observe(self, group: Group) -> None:
        self._groups += 1
        self._memory["graded"][group.row] = self._groups
        self._memory["latest"][group.row] = sum(group.success_G) / len(group.success_G)

    def predict(self, rows_C: IntArray) -> FloatArray:
        """The difficulty of each of the rows, in [0, 1]; .5 while no reference is graded."""
        known_R = self.reference_R[self._memory["latest"][self.reference_R] != _UNSEEN]
        if len(known_R) == 0:
            return np.full(len(rows_C), 0.5)
        say = self._features.distance(rows_C, known_R)
        say -= say.min(axis=1, keepdims=True, initial=np.inf)
        say /= -self.config.bandwidth
        np.exp(say, out=say)
        difficulty_R = (1.0 - self._memory["latest"][known_R]).astype(np.float32)
        return np.asarray(say @ difficulty_R / say.sum(axis=1), dtype=np.float64)

    def select(self, n: int, view: View) -> Choice:
        share = self.config.share
        refreshed = self._references(int((view.rng.random(n) < share).sum()), n, view)
        weight_N = self._weights(n, view)
        aimed = in_proportion(weight_N, n - len(refreshed), view)
        first = Choice(refreshed, np.ones(len(refreshed)))
        chosen = joined(scaled(first, share or 1.0), scaled(aimed, 1.0 - share))
        if missing := n - len(chosen.rows_K):
            left_N = view.available_N.copy()
            left_N[chosen.rows_K] = False
            chosen = joined(chosen, evenly(np.flatnonzero(left_N), missing, view))
        return shuffled(chosen, view)

    def _references(self, count: int, n: int, view: View) -> IntArray:
        """Available reference rows, those graded longest ago first; all of them that never were."""
        rows_R = self.reference_R[view.available_N[self.reference_R]]
        graded_R = self._memory["graded"][rows_R]
        order = np.argsort(graded_R, kind="stable")
        return rows_R[order][: min(max(count, int((graded_R == 0).sum())), n)]

    def _weights(self, n: int, view: View) -> FloatArray:
        """Of random available rows outside the reference set; 0 for all others."""
        outside_N = view.available_N.copy()
        outside_N[self.reference_R] = False
        rows_C = np.flatnonzero(outside_N)
        wanted = max(self.config.candidates, 2 * n)
        if len(rows_C) > wanted:
            rows_C = view.rng.choice(rows_C, wanted, replace=False)
        distance_C = np.abs(self.predict(rows_C) - self.config.target)
        weight_N = np.zeros(view.size)
        nearest = distance_C.min(initial=1.0)
        weight_C = np.exp(-(distance_C - nearest) / self.config.temperature)
        weight_N[rows_C] = np.maximum(weight_C, _LEAST)
        return weight_N

    def state_dict(self) -> dict[str, Any]:
        return {"groups": self._groups, "memory": self._memory.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._groups = state["groups"]
        self._memory.load_state_dict(state["memory"])

    def metrics(self) -> dict[str, float]:
        latest_R = self._memory["latest"][self.reference_R]
        return {"reference_graded": float((latest_R != _UNSEEN).sum())}
