"""A set of rows by key that is open at both ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import Literal, NamedTuple, TypeAlias

End: TypeAlias = Literal[1, -1]
Entry: TypeAlias = tuple[float, int, int]

LEAST: End = 1
GREATEST: End = -1
_SLACK = 64


class Keyed(NamedTuple):
    """A row and its key."""

    row: int
    key: float


class Ends:
    """Rows with keys; at either end, among equals, the one that is in longest comes first.

    Two binary heaps with lazy deletion, the one of the far end built when it is first asked for:
    every operation is O(log N), amortised.
    """

    def __init__(self, near: End) -> None:
        self.near = near
        self._heaps: dict[End, list[Entry]] = {near: []}
        self._ticket: dict[int, int] = {}
        self._tickets = 0

    def __len__(self) -> int:
        return len(self._ticket)

    def __contains__(self, row: int) -> bool:
        return row in self._ticket

    def __iter__(self) -> Iterator[int]:
        """The rows, the near end first."""
        return (row for _, _, row in sorted(self._live(self.near)))

    def fill(self, rows: Iterable[int], keys: Iterable[float]) -> None:
        """Start anew with these; among equals, in this order."""
        pairs = list(zip(rows, keys, strict=True))
        heap = [(self.near * key, ticket, row) for ticket, (row, key) in enumerate(pairs)]
        heapify(heap)
        self._heaps = {self.near: heap}
        self._ticket = {row: ticket for ticket, (row, _) in enumerate(pairs)}
        self._tickets = len(pairs)

    def push(self, row: int, key: float) -> None:
        """Put in a row that is not in."""
        ticket = self._ticket[row] = self._tickets
        self._tickets += 1
        for end, heap in self._heaps.items():
            heappush(heap, (end * key, ticket, row))
            if len(heap) > 2 * len(self) + _SLACK:
                heap[:] = self._live(end)
                heapify(heap)

    def discard(self, row: int) -> None:
        """Take the row out, if it is in."""
        self._ticket.pop(row, None)

    def first(self, end: End) -> Keyed | None:
        """The row at an end; it stays in."""
        heap = self._heap(end)
        while heap:
            key, ticket, row = heap[0]
            if self._ticket.get(row) == ticket:
                return Keyed(row, end * key)
            heappop(heap)
        return None

    def pop(self, end: End) -> Keyed | None:
        """Take out the row at an end."""
        heap = self._heap(end)
        while heap:
            key, ticket, row = heappop(heap)
            if self._ticket.get(row) == ticket:
                del self._ticket[row]
                return Keyed(row, end * key)
        return None

    def _heap(self, end: End) -> list[Entry]:
        if end not in self._heaps:
            heap = [(-key, ticket, row) for key, ticket, row in self._live(self.near)]
            heapify(heap)
            self._heaps[end] = heap
        return self._heaps[end]

    def _live(self, end: End) -> list[Entry]:
        return [entry for entry in self._heaps[end] if self._ticket.get(entry[2]) == entry[1]]
