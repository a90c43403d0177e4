"""Pass rates between those of two reference models, and how far between the policy stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.errors import PoolError
from curriculum_env.estimators.base import ALL, Rows, offline
from curriculum_env.estimators.beta_belief import BetaBelief
from curriculum_env.types import FloatArray, Row

_LEAST_SPAN = 1e-3


class AnchorsConfig(BaseConfig):
    """Settings of `Anchors`."""

    type: Literal["anchors"] = "anchors"
    """Every row is interpolated between the pass rates of a weaker and a stronger model (BOTS)."""
    low: str = "anchor_low"
    """Feature that holds the weaker model's pass rate of the row, 0 where it is missing."""
    high: str = "anchor_high"
    """Feature that holds the stronger model's pass rate of the row, 1 where it is missing."""
    forget: float = Field(default=0.2, gt=0, le=1)
    """Share of what was counted that a policy update forgets (lambda)."""
    implicit: float = Field(default=0.2, ge=0, le=1)
    """Weight of interpolated against counted rollouts (rho)."""
    rollouts: float = Field(default=16.0, gt=0)
    """Rollouts that a full-weight interpolation counts for (m)."""
    capability_decay: float = Field(default=0.9, ge=0, lt=1)
    """Share of the capability coefficient kept at each policy update."""
    prior: tuple[float, float] = (1.0, 1.0)
    """Passes and failures believed before any rollout."""
    prior_weight: float = Field(default=1.0, ge=0)
    """Weight of one offline rollout, in pseudo-counts."""


@dataclass(slots=True)
class _Batch:
    """Sums over the groups of the policy update that is under way."""

    number: float = 0.0
    groups: float = 0.0
    pass_rate: float = 0.0
    low: float = 0.0
    high: float = 0.0

    def add(self, pass_rate: float, low: float, high: float) -> None:
        self.groups += 1.0
        self.pass_rate += pass_rate
        self.low += low
        self.high += high


class Anchors(BetaBelief):
    """BOTS (Shen et al., arXiv 2510.26374; Trinity-RFT, `InterpolationBetaPREstimator`).

    At each policy update, for every row, with prior counts a0 (1 in the code; plus offline ones):

        alpha <- (1-lambda) alpha + lambda a0 + (1-rho) s + rho m p~,   beta alike with f and 1-p~

    s and f are the passes and failures of the row's group, 0 without one. p~ = low + (high - low)
    c, clipped to [0, 1], except that a row with a group has its own pass rate for p~, as in the
    code. c, the policy's capability, is an average (weight .1 on the newest, the first as it is)
    of (mean pass rate - mean low) / (mean high - mean low) over the groups of an update.

    The update of every row is done when it is next looked at, in closed form, so that a group
    costs O(1): with A <- (1-lambda) A + c per update, the interpolated evidence of the updates
    since is linear in A; clipping p~ of the average c of these updates instead of each p~ is the
    one deviation. A policy update ends with the first group of the next. The code's
    `adaptive_rho`, off there, is left out; a group's anchors closer than .001 say nothing of c.

    Raises:
        PoolError: an anchor is no number in [0, 1].
    """

    COLUMNS = (
        "passes_N", "fails_N", "prior_passes_N", "prior_fails_N", "low_N", "high_N", "settled_N"
    )  # fmt: skip
    passes_N: FloatArray
    fails_N: FloatArray
    prior_passes_N: FloatArray
    prior_fails_N: FloatArray
    low_N: FloatArray
    high_N: FloatArray
    settled_N: FloatArray

    def __init__(self, config: AnchorsConfig | None = None) -> None:
        super().__init__()
        self.config = config or AnchorsConfig()
        self.capability = 0.5
        self._trace = [0.0]
        self._batch = _Batch()

    @property
    def updates(self) -> int:
        """Policy updates that have ended."""
        return len(self._trace) - 1

    def initial(self, rows: Sequence[Row]) -> dict[str, FloatArray]:
        passes_N, attempts_N = offline(rows)
        weight, (prior_passes, prior_fails) = self.config.prior_weight, self.config.prior
        prior_passes_N = prior_passes + weight * passes_N
        prior_fails_N = prior_fails + weight * (attempts_N - passes_N)
        return {
            "passes_N": prior_passes_N.copy(),
            "fails_N": prior_fails_N.copy(),
            "prior_passes_N": prior_passes_N,
            "prior_fails_N": prior_fails_N,
            "low_N": _anchors(rows, self.config.low, 0.0),
            "high_N": _anchors(rows, self.config.high, 1.0),
            "settled_N": np.full(len(rows), float(self.updates)),
        }

    def update(self, row: int, success_G: Sequence[float]) -> None:
        self._end_batch()
        config, passes, size = self.config, float(sum(success_G)), len(success_G)
        learned, fading = self.counts(np.array([row])), int(self.settled_N[row]) <= self.updates
        kept = 1.0 - config.forget if fading else 1.0
        weight = (1.0 - config.implicit) + config.implicit * config.rollouts / size
        for counted_N, prior_N, count, old in (
            (self.passes_N, self.prior_passes_N, passes, learned[0]),
            (self.fails_N, self.prior_fails_N, size - passes, learned[1]),
        ):
            counted_N[row] = kept * old.item() + (1.0 - kept) * prior_N[row] + weight * count
        self.settled_N[row] = self.updates + 1
        self._batch.add(passes / size, self.low_N.item(row), self.high_N.item(row))

    def counts(self, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        """The passes and failures believed after the last update that has ended."""
        config, settled = self.config, np.minimum(self.settled_N[rows], self.updates)
        kept = (1.0 - config.forget) ** (self.updates - settled)
        weight, trace = (1.0 - kept) / config.forget, np.array(self._trace)
        capability = (trace[-1] - kept * trace[settled.astype(np.int64)]) / np.maximum(weight, 1e-9)
        low, high = self.low_N[rows], self.high_N[rows]
        passes = np.clip(low + (high - low) * capability, 0.0, 1.0) * config.implicit * weight
        return (
            kept * self.passes_N[rows]
            + (1.0 - kept) * self.prior_passes_N[rows]
            + config.rollouts * passes,
            kept * self.fails_N[rows]
            + (1.0 - kept) * self.prior_fails_N[rows]
            + config.rollouts * (config.implicit * weight - passes),
        )

    def prior_total(self) -> float:
        return sum(self.config.prior)

    def discount(self, keep: float) -> None:
        passes, fails = self.counts()
        self.passes_N = self.prior_passes_N + keep * (passes - self.prior_passes_N)
        self.fails_N = self.prior_fails_N + keep * (fails - self.prior_fails_N)
        self.settled_N = np.maximum(self.settled_N, self.updates)

    def get(self, row: int) -> tuple[float, ...]:
        return (*super().get(row), self.capability, float(self.updates), *astuple(self._batch))

    def put(self, row: int, belief: tuple[float, ...]) -> None:
        own = len(self.COLUMNS)
        super().put(row, belief[:own])
        self.capability, updates, *batch = belief[own:]
        del self._trace[int(updates) + 1 :]
        self._batch = _Batch(*batch)

    def state_dict(self) -> dict[str, Any]:
        return {
            "capability": self.capability,
            "trace": self._trace,
            "batch": list(astuple(self._batch)),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.capability, self._trace = state["capability"], list(state["trace"])
        self._batch = _Batch(*state["batch"])

    def _end_batch(self) -> None:
        """End the policy update under way where this group is of a later one."""
        batch, number = self._batch, float(int(self.now))
        if number > batch.number and batch.groups:
            span = (batch.high - batch.low) / batch.groups
            if abs(span) >= _LEAST_SPAN:
                found = (batch.pass_rate - batch.low) / (batch.high - batch.low)
                kept = self.config.capability_decay if self.updates else 0.0
                self.capability += (1.0 - kept) * (found - self.capability)
            self._trace.append((1.0 - self.config.forget) * self._trace[-1] + self.capability)
            self._batch = _Batch(number)
        elif not batch.groups:
            batch.number = number


def _anchors(rows: Sequence[Row], name: str, missing: float) -> FloatArray:
    anchor_N = np.empty(len(rows))
    for i, row in enumerate(rows):
        value = row.features.get(name, missing)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise PoolError(
                f"row {row.uid} has {name}={value!r} among its features; expected the pass rate "
                "of a reference model, a number from 0 to 1"
            )
        anchor_N[i] = value
    return anchor_N
