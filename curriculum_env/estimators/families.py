"""Which rows are variants of which, kept up as rows arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from curriculum_env.estimators.lineage import Forest
from curriculum_env.types import FloatArray, IntArray, Row


class Related(NamedTuple):
    """The rows that have relatives, the forest they are (numbered from 0 in that order), and their
    factors (1 for a root)."""

    rows_M: IntArray
    forest: Forest
    factor_M: FloatArray


class Families:
    """Parents, generations, roots and fan-out of the rows of a pool, by position.

    A row whose parent is not in the pool is a root until the parent arrives; one that would be its
    own ancestor stays a root. Adding a row is O(generations), and looking for anything no more.
    """

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._parent: dict[int, int] = {}
        self._factor: dict[int, float] = {}
        self._children: dict[int, list[int]] = {}
        self._waiting: dict[str, list[tuple[int, float]]] = {}
        self._members: Counter[int] = Counter()
        self._forest: Related | None = None

    def __len__(self) -> int:
        return len(self._index)

    @property
    def variants(self) -> int:
        """How many rows have a parent."""
        return len(self._parent)

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows."""
        start = len(self._index)
        self._index.update((row.uid, place) for place, row in enumerate(rows, start))
        for place, row in enumerate(rows, start):
            if row.parent:
                self._adopt(place, row.parent, row.factor)
            if self._waiting:
                for child, factor in self._waiting.pop(row.uid, ()):
                    self._join(child, place, factor)

    def _adopt(self, row: int, parent: str, factor: float) -> None:
        found = self._index.get(parent)
        if found is None or found > row:
            self._waiting.setdefault(parent, []).append((row, factor))
        else:
            self._join(row, found, factor)

    def _join(self, row: int, parent: int, factor: float) -> None:
        root = self.root(parent)
        if root == row:
            return
        self._parent[row], self._factor[row] = parent, factor
        self._children.setdefault(parent, []).append(row)
        self._members[root] = self.members(root) + self._members.pop(row, 1)
        self._forest = None

    def parent(self, row: int) -> int:
        """The row it is a variant of, -1 for a root."""
        return self._parent.get(row, -1)

    def root(self, row: int) -> int:
        """The ancestor that has no parent; a root's own."""
        while row in self._parent:
            row = self._parent[row]
        return row

    def generation(self, row: int) -> int:
        """The number of its ancestors."""
        count = 0
        while row in self._parent:
            row, count = self._parent[row], count + 1
        return count

    def fan_out(self, row: int) -> int:
        """The number of its children."""
        return len(self._children.get(row, ()))

    def members(self, root: int) -> int:
        """The number of rows under a root, itself included."""
        return self._members.get(root, 1)

    def related(self) -> Related:
        """The rows with relatives, as a forest; worked out again only where one has joined."""
        if self._forest is None:
            rows = sorted({*self._parent, *self._children})
            rows_M = np.array(rows, dtype=np.int64)
            parent_M = np.array([self._parent.get(row, -1) for row in rows], dtype=np.int64)
            place_M = np.where(parent_M >= 0, np.searchsorted(rows_M, parent_M), -1)
            factor_M = np.array([self._factor.get(row, 1.0) for row in rows])
            self._forest = Related(rows_M, Forest.of(place_M), factor_M)
        return self._forest
