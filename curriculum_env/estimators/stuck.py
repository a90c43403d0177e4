"""Tasks that no policy passes but by luck: broken checkers, wrong answers, beyond all reach."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from curriculum_env.types import FloatArray

_SURE = 40.0
_PRIOR_STUCK, _PRIOR_ROWS = 2.5, 25.0
_PRIOR_PASSES, _PRIOR_ROLLOUTS = 0.1, 20.0
_MOST_LUCK = 0.25


class Stuck:
    """The share of stuck rows, and the `luck` with which a rollout of one passes; both learned.

    A row's own evidence is its log-likelihood ratio, stuck against not, clipped to +-40. The
    share is the mean probability to be stuck of the rows tried, 2.5 stuck rows of 25 added;
    luck is the pass rate of the rollouts, weighed by that probability, .1 passes of 20 added.
    """

    def __init__(self) -> None:
        self._sums = [_PRIOR_STUCK, _PRIOR_ROWS, _PRIOR_PASSES, _PRIOR_ROLLOUTS]

    @property
    def share(self) -> float:
        return self._sums[0] / self._sums[1]

    @property
    def luck(self) -> float:
        return min(self._sums[2] / self._sums[3], _MOST_LUCK)

    def probability(self, ratio: float) -> float:
        """The probability to be stuck of a row with this log-likelihood ratio."""
        return 1.0 / (1.0 + math.exp(-ratio) * (1.0 / self.share - 1.0))

    def probabilities(self, ratio_N: FloatArray) -> FloatArray:
        """The same of many rows."""
        return np.asarray(1.0 / (1.0 + np.exp(-ratio_N) * (1.0 / self.share - 1.0)))

    def offline(self, passes_N: FloatArray, attempts_N: FloatArray) -> FloatArray:
        """The ratios of new rows by their offline rollouts, against a uniform pass rate."""
        if not attempts_N.any():
            return np.zeros(len(attempts_N))
        from scipy.special import betaln

        fails_N = attempts_N - passes_N
        log_stuck_N = passes_N * math.log(self.luck) + fails_N * math.log1p(-self.luck)
        log_evidence_N = betaln(passes_N + 1.0, fails_N + 1.0)
        return np.clip(log_stuck_N - log_evidence_N, -_SURE, _SURE)

    def weigh(self, ratio: float, passes: float, size: int, log_evidence: float) -> float:
        """The ratio of a row after a group whose likelihood was exp(log_evidence) if not stuck."""
        luck = self.luck
        log_stuck = passes * math.log(luck) + (size - passes) * math.log1p(-luck)
        return min(max(ratio + log_stuck - log_evidence, -_SURE), _SURE)

    def learn(self, before: float | None, after: float, passes: float, size: int) -> None:
        """Take in one group of a row whose ratio went from `before` (None where it is the row's
        first) to `after`."""
        known = 0.0 if before is None else self.probability(before)
        probability = self.probability(after)
        self._sums[0] += probability - known
        self._sums[1] += before is None
        self._sums[2] += probability * passes
        self._sums[3] += probability * size

    def get(self) -> list[float]:
        """Everything that `learn` changes."""
        return list(self._sums)

    def put(self, sums: Sequence[float]) -> None:
        """Restore what `get` returned."""
        self._sums = list(sums)
