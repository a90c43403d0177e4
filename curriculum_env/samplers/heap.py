"""A binary max-heap of rows whose priorities change."""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np

from curriculum_env.types import FloatArray, IntArray

_ABSENT = -1


class PriorityHeap:
    """The row of the highest priority first, the one of the lowest `tie` among equals; `set` and
    `remove` are O(log N), reading the k best rows O(k log k).

    The order of rows is total, so what the heap gives does not depend on how it came about.
    """

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._place: list[int] = []
        self._priority: list[float] = []
        self._tie: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, row: int) -> bool:
        return self._place[row] != _ABSENT

    def add(self, priority_N: FloatArray, tie_N: IntArray) -> None:
        """Append rows."""
        start = len(self._place)
        if start == 0:
            self.fill(priority_N, tie_N)
            return
        self._place += [_ABSENT] * len(priority_N)
        self._priority += priority_N.tolist()
        self._tie += tie_N.tolist()
        for row in range(start, len(self._place)):
            if not math.isnan(self._priority[row]):
                self.set(row, self._priority[row])

    def fill(self, priority_N: FloatArray, tie_N: IntArray) -> None:
        """Start anew: a row for each priority, in the heap unless its priority is NaN."""
        inside = np.flatnonzero(~np.isnan(priority_N))
        sorted_rows = inside[np.lexsort((tie_N[inside], -priority_N[inside]))]
        place_N = np.full(len(priority_N), _ABSENT)
        place_N[sorted_rows] = np.arange(len(sorted_rows))
        self._rows, self._place = sorted_rows.tolist(), place_N.tolist()
        self._priority, self._tie = priority_N.tolist(), tie_N.tolist()

    def set(self, row: int, priority: float) -> None:
        """Put the row in, or move it to where its new priority belongs."""
        self._priority[row] = priority
        if self._place[row] == _ABSENT:
            self._place[row] = len(self._rows)
            self._rows.append(row)
        self._rise(self._place[row])
        self._sink(self._place[row])

    def remove(self, row: int) -> None:
        """Take the row out, if it is in."""
        hole, last = self._place[row], self._rows[-1] if self._rows else _ABSENT
        if hole == _ABSENT:
            return
        self._place[row] = _ABSENT
        self._rows.pop()
        if last != row:
            self._put(last, hole)
            self._rise(hole)
            self._sink(self._place[last])

    def best(self, n: int, allowed: Callable[[int], bool]) -> list[int]:
        """The at most `n` best allowed rows, best first; they stay in the heap."""
        found: list[int] = []
        frontier = [(*self._key(self._rows[0]), 0)] if self._rows else []
        while frontier and len(found) < n:
            place = heappop(frontier)[2]
            if allowed(self._rows[place]):
                found.append(self._rows[place])
            for child in (2 * place + 1, 2 * place + 2):
                if child < len(self._rows):
                    heappush(frontier, (*self._key(self._rows[child]), child))
        return found

    def _key(self, row: int) -> tuple[float, int]:
        return -self._priority[row], self._tie[row]

    def _put(self, row: int, place: int) -> None:
        self._rows[place] = row
        self._place[row] = place

    def _rise(self, place: int) -> None:
        row, key = self._rows[place], self._key(self._rows[place])
        while place and key < self._key(above := self._rows[(place - 1) // 2]):
            self._put(above, place)
            place = (place - 1) // 2
        self._put(row, place)

    def _sink(self, place: int) -> None:
        row, key = self._rows[place], self._key(self._rows[place])
        while (child := 2 * place + 1) < len(self._rows):
            if child + 1 < len(self._rows):
                left, right = self._rows[child], self._rows[child + 1]
                child += self._key(right) < self._key(left)
            if self._key(self._rows[child]) >= key:
                break
            self._put(self._rows[child], place)
            place = child
        self._put(row, place)
