"""Which row the next rollout is of: k for each, then more where the pass rate is least known."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curriculum_env.pool.estimate.interval import pass_rate_interval
from curriculum_env.types import FloatArray, IntArray

OWED_AT_MOST = 3


@dataclass(frozen=True, slots=True)
class Depth:
    """`k` rollouts of each row; where its interval stays wider than `width`, `k` more at a time up
    to `max_k`, the widest first."""

    k: int
    max_k: int
    width: float = 0.0


class Plan:
    """Hands out rows by position, one for each rollout.

    `passes_N` (sum of successes) and `attempts_N` (graded rollouts) are what is known already.
    `order` lists the positions in the order of the first k. A row whose rollouts fail by the
    service's fault OWED_AT_MOST times is left alone.
    """

    def __init__(
        self, depth: Depth, passes_N: FloatArray, attempts_N: IntArray, order: Sequence[int]
    ) -> None:
        self.depth = depth
        self.passes_N = passes_N
        self.attempts_N = attempts_N
        self.target_N = np.maximum(attempts_N, depth.k)
        self.given_up: set[int] = set()
        self._handed_N = attempts_N.copy()
        self._order = iter(order)
        self._current: int | None = None
        self._owed: deque[int] = deque()
        self._failures: Counter[int] = Counter()
        self._wide: list[tuple[float, int]] = []

    def next(self) -> int | None:
        """The row of the next rollout; None while, or once, none is due."""
        if self._owed and self._current is None:
            return self._owed.popleft()
        while self._current is None or not self._due(self._current):
            self._current = self._another()
            if self._current is None:
                return self._owed.popleft() if self._owed else None
        self._handed_N[self._current] += 1
        return self._current

    def put_back(self, row: int) -> None:
        """The rollout just handed out is not played."""
        self._owed.appendleft(row)

    def graded(self, row: int, success: float) -> None:
        """A rollout of `row` earned `success`, in [0, 1]."""
        self.passes_N[row] += success
        self.attempts_N[row] += 1
        self._handed_N[row] = max(self._handed_N[row], self.attempts_N[row])
        if self.attempts_N[row] >= self.target_N[row]:
            self._consider(row)

    def asked(self, row: int) -> None:
        """A reply to `row` is there that is not graded yet."""
        self._handed_N[row] += 1

    def failed(self, row: int) -> None:
        """A rollout of `row` came to nothing by no fault of its own: it is owed."""
        self._failures[row] += 1
        if self._failures[row] < OWED_AT_MOST:
            self._owed.append(row)
        else:
            self.give_up(row)

    def give_up(self, row: int) -> None:
        """Hand out no further rollout of `row`."""
        self.given_up.add(row)

    def _due(self, row: int) -> bool:
        return row not in self.given_up and bool(self._handed_N[row] < self.target_N[row])

    def _another(self) -> int | None:
        """The next row of the first pass, then the widest of those that want more."""
        for row in self._order:
            if self._due(row):
                return row
            self._consider(row)
        if not self._wide:
            return None
        _, row = heapq.heappop(self._wide)
        self.target_N[row] = min(self.target_N[row] + self.depth.k, self.depth.max_k)
        return row

    def _consider(self, row: int) -> None:
        """Note a row whose rollouts are all graded and leave too much open."""
        attempts = self.attempts_N[row : row + 1].astype(float)
        if row in self.given_up or not self.depth.k <= attempts[0] < self.depth.max_k:
            return
        low, high = pass_rate_interval(self.passes_N[row : row + 1], attempts)
        if (width := float(high[0] - low[0])) > self.depth.width:
            heapq.heappush(self._wide, (-width, row))
