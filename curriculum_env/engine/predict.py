"""How much signal a row that nobody has tried will have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from curriculum_env.estimators import Estimator
from curriculum_env.types import FloatArray, Row

Bucket = tuple[str, str]

_KEPT = 0.97
_PRIOR_GROUPS = 2.0


class Signals:
    """The share of living groups in each bucket: of the last 33 or so, older ones fading."""

    def __init__(self) -> None:
        self._seen: dict[Bucket, tuple[float, float]] = {}

    def observe(self, bucket: Bucket, alive: bool) -> None:
        """A group of a row of that bucket was graded."""
        living, groups = self._seen.get(bucket, (0.0, 0.0))
        self._seen[bucket] = (_KEPT * living + alive, _KEPT * groups + 1.0)

    def predict(self, estimator: Estimator, rows: Sequence[Row], group_size: int) -> FloatArray:
        """The probability, in [0, 1], that a group of each of `rows` is not all alike.

        An estimator that reads features says so itself. For the others it is the share of living
        groups in the row's bucket, and two groups of what is believed of a row without history.
        """
        unknown_C = estimator.preview(rows).survival(max(group_size, 2))
        if estimator.generalises:
            return unknown_C
        seen_C = np.array([self._seen.get(row.bucket, (0.0, 0.0)) for row in rows])
        total_C = seen_C[:, 1] + _PRIOR_GROUPS
        return np.asarray((seen_C[:, 0] + _PRIOR_GROUPS * unknown_C) / total_C)

    def state_dict(self) -> list[Any]:
        return [[*bucket, *seen] for bucket, seen in self._seen.items()]

    def load_state_dict(self, state: Sequence[Sequence[Any]]) -> None:
        self._seen = {(domain, level): (a, b) for domain, level, a, b in state}
