"""Model predictive prompt selection: Thompson sampling among random candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.estimators.base import offline
from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View, smallest
from curriculum_env.types import FloatArray, Group, IntArray, Row


class MoppsConfig(BaseConfig):
    """Settings of `Mopps`."""

    type: Literal["mopps"] = "mopps"
    """Thompson sampling among random candidates, with a posterior of its own."""
    candidates: int = Field(default=16, ge=1)
    """Random candidates for each row asked for."""
    rule: Literal["nearest", "band"] = "nearest"
    """Take the candidates nearest the target, or any inside the band first."""
    target: float = Field(default=0.5, ge=0, le=1)
    """Pass rate aimed at."""
    band: tuple[float, float] = (0.3, 0.7)
    """Sampled pass rates wanted by `rule = "band"`."""
    decay: float | None = Field(default=0.5, gt=0, le=1)
    """Share of the posterior's counts kept at each further group of the same row (1.0 in the
    paper's runs on MATH); unset, the curriculum's own estimator is sampled instead."""

    @model_validator(mode="after")
    def _rising(self) -> Self:
        low, high = self.band
        if not 0.0 <= low < high <= 1.0:
            raise ValueError(f"band is [{low}, {high}]; expected two rising pass rates in [0, 1]")
        return self


class Mopps(Sampler):
    """m = candidates * n random rows, p ~ Beta(a, b) for each, the n nearest the target; after a
    group a <- d*a + (1-d)*a0 + k, b alike (Qu et al., arXiv 2507.04632).

    The posterior is the rule's own: its strong forgetting belongs to the published rule and would
    make a poor belief to report, explore or stop by. a0, b0 are Beta(1, 1) plus offline counts.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: MoppsConfig | None = None) -> None:
        self.config = config or MoppsConfig()
        self._memory = Memory(passes=0.0, fails=0.0)
        self._prior_passes_N, self._prior_fails_N = np.empty(0), np.empty(0)

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)
        passes_N, attempts_N = offline(rows)
        fails_N = attempts_N - passes_N
        self._prior_passes_N = np.append(self._prior_passes_N, 1.0 + passes_N)
        self._prior_fails_N = np.append(self._prior_fails_N, 1.0 + fails_N)

    def observe(self, group: Group) -> None:
        decay = 1.0 if self.config.decay is None else self.config.decay
        passes, row = sum(group.success_G), group.row
        learned = ("passes", passes), ("fails", len(group.success_G) - passes)
        for name, count in learned:
            self._memory[name][row] = decay * self._memory[name][row] + count

    def posterior(self, rows_C: IntArray) -> tuple[FloatArray, FloatArray]:
        """The two counts of the Beta posterior of those rows."""
        return (
            self._prior_passes_N[rows_C] + self._memory["passes"][rows_C],
            self._prior_fails_N[rows_C] + self._memory["fails"][rows_C],
        )

    def select(self, n: int, view: View) -> Choice:
        rows_A = np.flatnonzero(view.available_N)
        count = min(self.config.candidates * n, len(rows_A))
        rows_C = view.rng.choice(rows_A, count, replace=False)
        if self.config.decay is None:
            sample_C = view.estimator.sample(view.rng, rows_C)
        else:
            sample_C = view.rng.beta(*self.posterior(rows_C))
        rows_K = rows_C[smallest(self._distance(sample_C), n)]
        return Choice(rows_K, np.ones(len(rows_K)))

    def _distance(self, sample_C: FloatArray) -> FloatArray:
        """From the target, or from the band: all inside it are alike."""
        if self.config.rule == "nearest":
            return np.abs(sample_C - self.config.target)
        low, high = self.config.band
        return np.maximum(np.maximum(low - sample_C, sample_C - high), 0.0)

    def state_dict(self) -> dict[str, Any]:
        return self._memory.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._memory.load_state_dict(state)
