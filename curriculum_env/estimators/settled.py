"""Tasks whose rollouts all end alike whatever the policy does: never passed, but by luck (broken
checkers, wrong answers, beyond all reach), or always, but for slips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from curriculum_env.types import FloatArray

F = TypeVar("F", float, FloatArray)

_SURE = 40.0
_PRIOR_SETTLED, _PRIOR_ROWS = 2.0, 8.0
_PRIOR_EXCEPTIONS, _PRIOR_ROLLOUTS = 1.0, 200.0
_MOST_EXCEPTIONS = 0.25


class Ratios(NamedTuple):
    """A row's own evidence: the log-likelihood ratios of never, and of always, passing against
    being open."""

    never: float
    always: float


class Settled:
    """The shares of the rows that never and that always pass, and how often a rollout of one is an
    exception; all learned.

    A share is the mean probability of the rows tried, 2 rows of 8 added; exceptions are the
    share of the rollouts, weighed by that probability, 1 of 200 added.
    """

    def __init__(self) -> None:
        self._rows = _PRIOR_ROWS
        self._settled = [_PRIOR_SETTLED, _PRIOR_SETTLED]
        self._exceptions = [_PRIOR_EXCEPTIONS, _PRIOR_EXCEPTIONS]
        self._rollouts = [_PRIOR_ROLLOUTS, _PRIOR_ROLLOUTS]

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of rows that never, and that always, pass."""
        return self._settled[0] / self._rows, self._settled[1] / self._rows

    @property
    def rates(self) -> tuple[float, float]:
        """The pass rates of rows that never, and that always, pass: luck, and 1 less slips."""
        luck, slips = (
            min(exceptions / rollouts, _MOST_EXCEPTIONS)
            for exceptions, rollouts in zip(self._exceptions, self._rollouts, strict=True)
        )
        return luck, 1.0 - slips

    def probability(self, ratios: Ratios) -> tuple[float, float]:
        """The probabilities of a row to never, and to always, pass."""
        return self._normal(math.exp(ratios.never), math.exp(ratios.always))

    def probabilities(
        self, never_N: FloatArray, always_N: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The same of many rows, from both their ratios."""
        return self._normal(np.exp(never_N), np.exp(always_N))

    def likelihoods(self, passes: F, fails: F) -> tuple[F, F]:
        """The log-likelihoods of such rollouts of a row that never, and that always, passes."""
        never, always = (passes * math.log(rate) + fails * math.log1p(-rate) for rate in self.rates)
        return never, always

    def offline(self, passes_N: FloatArray, fails_N: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The ratios of new rows by their offline rollouts, against a uniform pass rate."""
        from scipy.special import betaln

        log_open_N = betaln(passes_N + 1.0, fails_N + 1.0)
        never_N, always_N = self.likelihoods(passes_N, fails_N)
        return (
            np.clip(never_N - log_open_N, -_SURE, _SURE),
            np.clip(always_N - log_open_N, -_SURE, _SURE),
        )

    def weigh(self, ratios: Ratios, passes: float, size: int, log_open: float) -> Ratios:
        """The ratios of a row after a group whose likelihood was exp(log_open) if it is open."""
        logs = self.likelihoods(passes, size - passes)
        return Ratios(
            *(
                min(max(ratio + log - log_open, -_SURE), _SURE)
                for ratio, log in zip(ratios, logs, strict=True)
            )
        )

    def learn(self, before: Ratios | None, after: Ratios, passes: float, size: int) -> float:
        """Take in one group of a row whose ratios went from `before` (None where it is the row's
        first) to `after`; returns the probability that the row is open."""
        known = (0.0, 0.0) if before is None else self.probability(before)
        found = self.probability(after)
        self._rows += before is None
        for i, exceptions in enumerate((passes, size - passes)):
            self._settled[i] += found[i] - known[i]
            self._exceptions[i] += found[i] * exceptions
            self._rollouts[i] += found[i] * size
        return 1.0 - sum(found)

    def get(self) -> list[float]:
        """Everything that `learn` changes."""
        return [self._rows, *self._settled, *self._exceptions, *self._rollouts]

    def put(self, sums: Sequence[float]) -> None:
        """Restore what `get` returned."""
        self._rows, *rest = sums
        self._settled, self._exceptions, self._rollouts = rest[:2], rest[2:4], rest[4:]

    def _normal(self, never: F, always: F) -> tuple[F, F]:
        shares = self.shares
        never, always = shares[0] * never, shares[1] * always
        total = 1.0 - shares[0] - shares[1] + never + always
        return never / total, always / total
