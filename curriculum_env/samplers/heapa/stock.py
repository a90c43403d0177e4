"""The stages of a row's life: cold, scored, drawn, returning, evicted."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from curriculum_env.samplers.heapa.halves import Allowed, Halves

UNKNOWN = -2.0
"""The score of a row that has none; scores lie in [-1, 1]."""


class Stage(IntEnum):
    """Where a row is."""

    COLD = 0
    SCORED = 1
    ARCHIVED = 2
    RETURNING = 3
    EVICTED = 4


class Stock:
    """Cold rows wait in the order in which they came, scored ones in the two halves; these two hold
    at most `capacity` rows. Rows drawn are archived; recycled ones return in turn.

    Each step is O(log N), amortised. A cold row that was archived meanwhile is passed over where
    it lies in the queue: it has a score by then, and is never cold again.
    """

    def __init__(self, alpha: float, capacity: int | None) -> None:
        self._capacity = capacity
        self.halves = Halves(alpha)
        self.stage = bytearray()
        self.cold: deque[int] = deque()
        self.archive: dict[int, None] = {}
        self.returning: deque[int] = deque()
        self.colds = self.evictions = 0

    def __len__(self) -> int:
        """The rows that can be drawn."""
        return self.colds + len(self.halves)

    @property
    def full(self) -> bool:
        return self._capacity is not None and len(self) >= self._capacity

    def add(self, keys: Sequence[float | None]) -> None:
        """Append rows with these keys, None for a cold one. Scored rows that come first and all fit
        in are sorted into the halves at once."""
        start = len(self.stage)
        self.stage.extend(bytes([Stage.EVICTED]) * len(keys))
        fits = self._capacity is None or len(self) + len(keys) <= self._capacity
        if len(self.halves) or not fits:
            for row, key in enumerate(keys, start):
                self.insert(row, key)
            return
        scored = [(row, key) for row, key in enumerate(keys, start) if key is not None]
        self.fill([row for row, _ in scored], [key for _, key in scored])
        for row, key in enumerate(keys, start):
            if key is None:
                self._cool(row)

    def fill(self, rows: Sequence[int], keys: Sequence[float]) -> None:
        """Sort these rows into empty halves."""
        if rows:
            self.halves.fill(rows, keys)
            for row in rows:
                self.stage[row] = Stage.SCORED

    def insert(self, row: int, key: float | None) -> None:
        """Put in a row that is in no queue, half or archive. Where there is no room a scored row
        costs the hardest one its place (itself, where it is that); a cold row costs the easiest
        one its place or, where none is scored, the longest cold one."""
        full = self.full
        if key is None:
            if full:
                self._evict_for_cold()
            self._cool(row)
            return
        self.stage[row] = Stage.SCORED
        if full:
            self._evict(self.halves.replace(row, key).row)
        else:
            self.halves.insert(row, key)

    def _cool(self, row: int) -> None:
        self.stage[row] = Stage.COLD
        self.cold.append(row)
        self.colds += 1

    def _evict_for_cold(self) -> None:
        easiest = self.halves.pop_easiest()
        if easiest is not None:
            self.halves.rebalance()
            self._evict(easiest.row)
            return
        while self.stage[row := self.cold.popleft()] != Stage.COLD:
            pass
        self.colds -= 1
        self._evict(row)

    def _evict(self, row: int) -> None:
        self.stage[row] = Stage.EVICTED
        self.evictions += 1

    def take_cold(self, n: int, allowed: Allowed) -> list[int]:
        """Take out the `n` longest cold of the allowed rows (fewer if there are fewer)."""
        found: list[int] = []
        barred: list[int] = []
        while self.cold and len(found) < n:
            row = self.cold.popleft()
            if self.stage[row] == Stage.COLD:
                (found if allowed(row) else barred).append(row)
        self.cold.extendleft(reversed(barred))
        self.colds -= len(found)
        return found

    def draw(self, rows: Sequence[int]) -> None:
        """Archive rows that were taken out."""
        for row in rows:
            self.stage[row] = Stage.ARCHIVED
            self.archive[row] = None

    def undraw(self, row: int, key: float | None) -> bool:
        """Put a row that was just drawn back to where it was, a cold one in front; whether it was
        in the archive."""
        if row not in self.archive:
            return False
        del self.archive[row]
        if key is None:
            self.stage[row] = Stage.COLD
            self.cold.appendleft(row)
            self.colds += 1
        else:
            self.stage[row] = Stage.SCORED
            self.halves.insert(row, key)
        return True

    def withdraw(self, row: int) -> None:
        """Archive a row wherever it is, unless it is evicted, or returning already."""
        stage = self.stage[row]
        if stage in (Stage.COLD, Stage.SCORED):
            self.colds -= stage == Stage.COLD
            self.halves.discard(row)
            self.draw([row])

    def recycle(self, available_N: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[int]:
        """Take the available rows out of the archive."""
        rows_A = np.fromiter(self.archive, np.int64, len(self.archive))
        rows: list[int] = rows_A[available_N[rows_A]].tolist()
        for row in rows:
            del self.archive[row]
        return rows

    def give_back(self, rows: Sequence[int]) -> None:
        """These rows, taken out of the archive, are to return in this order."""
        for row in rows:
            self.stage[row] = Stage.RETURNING
        self.returning.extend(rows)
