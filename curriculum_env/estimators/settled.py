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
_FIRST_SHARE, _FIRST_ROWS = 0.25, 8.0
_FIRST_SQUARES = _FIRST_ROWS / (_FIRST_SHARE * (1.0 - _FIRST_SHARE))
_LEAST_SHARE, _MOST_SETTLED = 0.002, 0.95
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

    A share climbs the likelihood of the rows tried: each moves it by its score over the scores'
    squares so far (Fisher scoring, online), as if 8 rows had shown a share of .25 before. A row
    that its groups tell nothing of, such as one all failed where failing is likely, moves nothing,
    where a mean of probabilities would count it as settled by that very share. Exceptions are the
    share of the rollouts, weighed by the probability of their row, 1 of 200 added.
    """

    def __init__(self) -> None:
        self._shares = [_FIRST_SHARE, _FIRST_SHARE]
        self._squares = [_FIRST_SQUARES, _FIRST_SQUARES]
        self._exceptions = [_PRIOR_EXCEPTIONS, _PRIOR_EXCEPTIONS]
        self._rollouts = [_PRIOR_ROLLOUTS, _PRIOR_ROLLOUTS]

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of rows that never, and that always, pass."""
        return self._shares[0], self._shares[1]

    @property
    def rates(self) -> tuple[float, float]:
        """The pass rates of rows that never, and that always, pass: luck, and 1 less slips."""
        (lucky, slipped), (tried_never, tried_always) = self._exceptions, self._rollouts
        luck, slips = lucky / tried_never, slipped / tried_always
        return min(luck, _MOST_EXCEPTIONS), 1.0 - min(slips, _MOST_EXCEPTIONS)

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
        luck, unslipped = self.rates
        never = passes * math.log(luck) + fails * math.log1p(-luck)
        return never, passes * math.log(unslipped) + fails * math.log1p(-unslipped)

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
        never, always = self.likelihoods(passes, size - passes)
        return Ratios(
            _sure(ratios.never + never - log_open), _sure(ratios.always + always - log_open)
        )

    def learn(self, before: Ratios | None, after: Ratios, passes: float, size: int) -> float:
        """Take in one group of a row whose ratios went from `before` (None where it is the row's
        first) to `after`; returns the probability that the row is open."""
        old = (0.0, 0.0) if before is None else self._scores(before)
        new = self._scores(after)
        for kind in (0, 1):
            squares = self._squares[kind] + new[kind] ** 2 - old[kind] ** 2
            self._squares[kind] = max(squares, _FIRST_SQUARES)
            share = self._shares[kind] + (new[kind] - old[kind]) / self._squares[kind]
            most = _MOST_SETTLED - self._shares[1 - kind]
            self._shares[kind] = min(max(share, _LEAST_SHARE), most)
        never, always = self.probability(after)
        fails = size - passes
        self._exceptions[0] += never * passes
        self._exceptions[1] += always * fails
        self._rollouts[0] += never * size
        self._rollouts[1] += always * size
        return 1.0 - never - always

    def get(self) -> list[float]:
        """Everything that `learn` changes."""
        return [*self._shares, *self._squares, *self._exceptions, *self._rollouts]

    def put(self, sums: Sequence[float]) -> None:
        """Restore what `get` returned."""
        self._shares, self._squares = list(sums[:2]), list(sums[2:4])
        self._exceptions, self._rollouts = list(sums[4:6]), list(sums[6:8])

    def _scores(self, ratios: Ratios) -> tuple[float, float]:
        """The slopes of the row's log-likelihood by the two shares."""
        never, always = math.exp(ratios.never), math.exp(ratios.always)
        shares = self._shares
        total = 1.0 + shares[0] * (never - 1.0) + shares[1] * (always - 1.0)
        return (never - 1.0) / total, (always - 1.0) / total

    def _normal(self, never: F, always: F) -> tuple[F, F]:
        shares = self.shares
        never, always = shares[0] * never, shares[1] * always
        total = 1.0 - shares[0] - shares[1] + never + always
        return never / total, always / total


def _sure(ratio: float) -> float:
    return min(max(ratio, -_SURE), _SURE)
