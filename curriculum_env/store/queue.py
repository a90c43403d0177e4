"""Tasks to be made from other tasks: what is asked for, what is being worked on, what came of it.

Every step that was paid for is written before the next one begins, and each step is taken once, by
who claimed the item: a process may die at any point, nothing is lost and nothing doubled. A loop of
its own can play the service:

    for item in store.queue.claim("me", limit=8, seconds=60.0):
        store.queue.accept(item, Row("child", {...}, parent=item.source.uid))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from curriculum_env.types import Row

AugmentState: TypeAlias = Literal[
    "asked", "proposed", "accepted", "discarded", "inserted", "quarantined"
]
AUGMENT_STATES: tuple[AugmentState, ...] = (
    "asked", "proposed", "accepted", "discarded", "inserted", "quarantined",
)  # fmt: skip
OPEN: tuple[AugmentState, ...] = ("asked", "proposed")
STATUS = "augmenting"
"""The kind of the events that say what a service does: `state`, `reason` and the service's `name`,
at every change and once a minute."""
AHEAD_SECONDS = 60.0
"""A claim made or renewed further in the future than this is from before the clock was set back:
nobody knows when it runs out, so it counts for nothing."""
RECHECK = "recheck"
"""The kind of an item whose source is itself a variant, to be answered again."""


class Spent(NamedTuple):
    """What an item took so far: requests, tokens (prompt and reply together) and money."""

    requests: int = 0
    tokens: int = 0
    money: float = 0.0

    def plus(self, other: Spent) -> Spent:
        """The sum of both."""
        return Spent(
            self.requests + other.requests, self.tokens + other.tokens, self.money + other.money
        )

    def minus(self, other: Spent) -> Spent:
        """What one took beyond the other."""
        return Spent(
            self.requests - other.requests, self.tokens - other.tokens, self.money - other.money
        )


FREE = Spent()


@dataclass(frozen=True, slots=True)
class Asked:
    """A task to be made of `source`, a whole row. `key` names the request: asked again, it changes
    nothing. `draw` is the number of the draw that led to it, `generation` (1, 2, ...) that of the
    task to be, and `belief` the pass rate in [0, 1] the source was believed to have."""

    key: str
    kind: str
    draw: int
    source: Row
    generation: int = 1
    belief: float = 0.5


@dataclass(frozen=True, slots=True)
class Augmentation:
    """An item of the queue. `candidate` is what was proposed, as JSON values, `child` the row that
    was accepted, `provenance` how it came about (models, prompt version, time). `owner` claimed it
    until `until`; all times are Unix seconds."""

    id: int
    asked: Asked
    state: AugmentState = "asked"
    reason: str = ""
    candidate: Mapping[str, Any] | None = None
    child: Row | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    spent: Spent = FREE
    tries: int = 0
    owner: str = ""
    until: float = 0.0
    created: float = 0.0
    changed: float = 0.0

    @property
    def source(self) -> Row:
        """The row that the task is made of."""
        return self.asked.source

    @property
    def kind(self) -> str:
        """Which kind of variant is asked for."""
        return self.asked.kind


class QueueCounts(NamedTuple):
    """Items by state (all of `AUGMENT_STATES`) and by (state, reason), and what all took."""

    states: dict[AugmentState, int]
    reasons: dict[tuple[AugmentState, str], int]
    spent: Spent

    @property
    def open(self) -> int:
        """Items that nothing has come of yet."""
        return sum(self.states[state] for state in OPEN)


class Queue(ABC):
    """The items of one store. Every method may be called from any thread and process; every failure
    is a `StoreError`. A method that takes a claimed item returns whether the step was taken: not
    where another claimed it since, or it is settled already."""

    # --- who asks ----------------------------------------------------------------------------
    @abstractmethod
    def ask(self, requests: Sequence[Asked]) -> None:
        """Add what is not there yet, by `key`."""

    @abstractmethod
    def accepted(self, limit: int = 64) -> list[Augmentation]:
        """The oldest accepted items that were not inserted yet."""

    @abstractmethod
    def insert(self, ids: Iterable[int]) -> None:
        """These accepted items are in the pool now."""

    @abstractmethod
    def refuse(self, ids: Iterable[int], reason: str) -> None:
        """These accepted items will not be in the pool: they are discarded for `reason`."""

    @abstractmethod
    def quarantine(self, ids: Iterable[int], reason: str) -> None:
        """These inserted items are drawn no more."""

    # --- who works ---------------------------------------------------------------------------
    @abstractmethod
    def claim(self, owner: str, limit: int, seconds: float) -> list[Augmentation]:
        """Take at most `limit` open items, the furthest and then the oldest first, that nobody has
        or whose claim ran out, or was made before the clock was set back; they are `owner`'s for
        `seconds`."""

    @abstractmethod
    def renew(self, owner: str, ids: Iterable[int], seconds: float) -> int:
        """Keep these claims of `owner` for `seconds` from now on; returns how many there are."""

    @abstractmethod
    def release(self, owner: str) -> None:
        """Give back all that `owner` claimed; what was written of it stays."""

    @abstractmethod
    def give_back(self, item: Augmentation, spent: Spent = FREE, *, tried: bool = True) -> bool:
        """Leave a claimed item to whoever claims it next; with `tried` as one more try."""

    @abstractmethod
    def propose(
        self, item: Augmentation, candidate: Mapping[str, Any], spent: Spent = FREE
    ) -> bool:
        """The first half is paid for: keep it. The item stays claimed."""

    @abstractmethod
    def accept(
        self,
        item: Augmentation,
        child: Row,
        provenance: Mapping[str, Any] | None = None,
        spent: Spent = FREE,
    ) -> bool:
        """The task is made; its curriculum appends it to the pool at one of its next draws."""

    @abstractmethod
    def discard(self, item: Augmentation, reason: str, spent: Spent = FREE) -> bool:
        """Nothing will come of it, for `reason`."""

    # --- anyone ------------------------------------------------------------------------------
    @abstractmethod
    def items(self, state: AugmentState | None = None) -> Iterator[Augmentation]:
        """All items, or those of a state, in the order in which they were asked for."""

    @abstractmethod
    def claims(self, but: str) -> list[Augmentation]:
        """The open items that others than `but` have claimed, and may be working on."""

    @abstractmethod
    def made(self, since: float) -> list[Row]:
        """The rows that were accepted, wherever they are now, of items that changed at `since`
        (Unix seconds) or later."""

    @abstractmethod
    def counts(self) -> QueueCounts:
        """How many there are of each kind."""

    @abstractmethod
    def open_count(self) -> int:
        """Items that are asked for or proposed: quicker than `counts`."""
