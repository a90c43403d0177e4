"""What a rule remembers of each row beyond the beliefs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from curriculum_env.types import FloatArray, IntArray, Row


class Memory:
    """Named columns over the rows, each with the value it starts from.

    The state lists only the rows of which something was learned, by uid, so it stays small and
    survives a pool that was reordered, grown or shrunk.
    """

    def __init__(self, **start: float) -> None:
        self._start = start
        self._columns = {name: np.empty(0) for name in start}
        self.uids: list[str] = []

    def __getitem__(self, name: str) -> FloatArray:
        return self._columns[name]

    def __len__(self) -> int:
        return len(self.uids)

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows of which nothing is known."""
        self.uids.extend(row.uid for row in rows)
        for name, start in self._start.items():
            self._columns[name] = np.append(self._columns[name], np.full(len(rows), start))

    def find(self, uids: Sequence[str]) -> IntArray:
        """The positions of those uids; -1 where there is none."""
        index = {uid: row for row, uid in enumerate(self.uids)}
        return np.array([index.get(uid, -1) for uid in uids], dtype=np.int64)

    def state_dict(self) -> dict[str, Any]:
        """JSON values."""
        changed_N = np.zeros(len(self), np.bool_)
        for name, start in self._start.items():
            changed_N |= self._columns[name] != start
        rows_M = np.flatnonzero(changed_N)
        columns = {name: values[rows_M].tolist() for name, values in self._columns.items()}
        return {"uid": [self.uids[row] for row in rows_M], **columns}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned; rows that it does not name start anew."""
        rows_M = self.find(state["uid"])
        known_M = rows_M >= 0
        for name, start in self._start.items():
            self._columns[name].fill(start)
            self._columns[name][rows_M[known_M]] = np.array(state[name])[known_M]
