"""The draws whose rollouts are still coming in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class OpenGroup:
    """`scores` are (outcome number, success) of the graded rollouts that count; `voided` counts
    the ones that errored, were cancelled, or fell into an outage; `rollouts` is how many were
    asked for, 0 for the trainer's group size; `invalid` are the numbers of those among the scores
    that earned the invalid reward."""

    draw: int
    row: int
    time: float
    leased: bool
    rollouts: int = 0
    scores: list[tuple[int, float]] = field(default_factory=list)
    voided: int = 0
    invalid: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.scores) + self.voided

    def void_since(self, number: int) -> None:
        """The rollouts from outcome `number` on do not count after all."""
        kept = [score for score in self.scores if score[0] < number]
        self.voided += len(self.scores) - len(kept)
        self.scores = kept
        self.invalid = [invalid for invalid in self.invalid if invalid < number]


class OpenGroups:
    """Open groups by draw number, oldest first."""

    def __init__(self) -> None:
        self._groups: dict[int, OpenGroup] = {}
        self._order: deque[int] = deque()

    def __len__(self) -> int:
        return len(self._groups)

    def __iter__(self) -> Iterator[OpenGroup]:
        return iter(self._groups.values())

    def open(
        self,
        draw: int,
        row: int,
        time: float,
        *,
        leased: bool,
        rollouts: int = 0,
    ) -> OpenGroup:
        group = self._groups[draw] = OpenGroup(draw, row, time, leased, rollouts)
        self._order.append(draw)
        return group

    def get(self, draw: int) -> OpenGroup | None:
        return self._groups.get(draw)

    def close(self, draw: int) -> OpenGroup:
        return self._groups.pop(draw)

    def oldest(self) -> OpenGroup | None:
        """The open group that was opened first, or None."""
        while self._order and self._order[0] not in self._groups:
            self._order.popleft()
        return self._groups[self._order[0]] if self._order else None

    def state_dict(self, uid: Callable[[int], str]) -> list[Any]:
        return [[uid(group.row), asdict(group)] for group in self]

    def load_state_dict(self, state: list[Any], row: Callable[[str], int | None]) -> None:
        self._groups = {}
        for uid, fields in state:
            found = row(uid)
            if found is not None:
                scores = [(number, success) for number, success in fields["scores"]]
                group = OpenGroup(**{**fields, "row": found, "scores": scores})
                self._groups[group.draw] = group
        self._order = deque(self._groups)
