"""The queue of augmentations of a store in memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

from curriculum_env.store.queue import (
    AHEAD_SECONDS,
    AUGMENT_STATES,
    FREE,
    OPEN,
    Asked,
    Augmentation,
    AugmentState,
    Queue,
    QueueCounts,
    Spent,
)
from curriculum_env.store.rows import plain, row_of, storable_json
from curriculum_env.types import Row


@dataclass
class MemoryItems:
    """All items by id, the ids of each state in order, and the keys there are."""

    lock: RLock = field(default_factory=RLock)
    by_id: dict[int, Augmentation] = field(default_factory=dict)
    states: dict[AugmentState, dict[int, None]] = field(
        default_factory=lambda: {state: {} for state in AUGMENT_STATES}
    )
    keys: set[str] = field(default_factory=set)


class MemoryQueue(Queue):
    """Items in dictionaries, changed under one lock."""

    def __init__(self, items: MemoryItems) -> None:
        self._items = items

    def ask(self, requests: Sequence[Asked]) -> None:
        items, now = self._items, time.time()
        with items.lock:
            for asked in requests:
                if asked.key not in items.keys:
                    items.keys.add(asked.key)
                    number = len(items.by_id) + 1
                    items.by_id[number] = Augmentation(number, asked, created=now, changed=now)
                    items.states["asked"][number] = None

    def accepted(self, limit: int = 64) -> list[Augmentation]:
        if not self._items.states["accepted"]:
            return []
        with self._items.lock:
            return self._of("accepted")[:limit]

    def insert(self, ids: Iterable[int]) -> None:
        self._settle(ids, "accepted", "inserted", "")

    def refuse(self, ids: Iterable[int], reason: str) -> None:
        self._settle(ids, "accepted", "discarded", reason)

    def quarantine(self, ids: Iterable[int], reason: str) -> None:
        self._settle(ids, "inserted", "quarantined", reason)

    def claim(self, owner: str, limit: int, seconds: float) -> list[Augmentation]:
        now = time.time()
        with self._items.lock:
            waiting = [item for state in reversed(OPEN) for item in self._of(state)]
            free = [item for item in waiting if _free(item, now)][:limit]
            return [self._put(item, owner=owner, until=now + seconds) for item in free]

    def renew(self, owner: str, ids: Iterable[int], seconds: float) -> int:
        until, chosen = time.time() + seconds, set(ids)
        with self._items.lock:
            mine = [item for item in self._claims(owner) if item.id in chosen]
            for item in mine:
                self._put(item, until=until)
        return len(mine)

    def release(self, owner: str) -> None:
        with self._items.lock:
            for item in self._claims(owner):
                self._put(item, owner="", until=0.0)

    def give_back(self, item: Augmentation, spent: Spent = FREE, *, tried: bool = True) -> bool:
        return self._step(item, spent, owner="", until=0.0, tries=item.tries + tried)

    def propose(
        self, item: Augmentation, candidate: Mapping[str, Any], spent: Spent = FREE
    ) -> bool:
        if item.state == "proposed":
            return False
        return self._step(item, spent, state="proposed", candidate=storable_json(candidate))

    def accept(
        self,
        item: Augmentation,
        child: Row,
        provenance: Mapping[str, Any] | None = None,
        spent: Spent = FREE,
    ) -> bool:
        child = row_of(plain(child))
        kept = storable_json(provenance or {})
        return self._step(item, spent, state="accepted", child=child, provenance=kept, owner="")

    def discard(self, item: Augmentation, reason: str, spent: Spent = FREE) -> bool:
        return self._step(item, spent, state="discarded", reason=reason, owner="")

    def items(self, state: AugmentState | None = None) -> Iterator[Augmentation]:
        with self._items.lock:
            found = list(self._items.by_id.values()) if state is None else self._of(state)
        return iter(found)

    def claims(self, but: str) -> list[Augmentation]:
        now = time.time()
        with self._items.lock:
            waiting = [item for state in OPEN for item in self._of(state)]
        held = (item for item in waiting if item.owner not in ("", but) and item.until >= now)
        return sorted(held, key=lambda item: item.id)

    def made(self, since: float) -> list[Row]:
        with self._items.lock:
            items = list(self._items.by_id.values())
        return [
            item.child
            for item in items
            if item.child is not None and item.state != "discarded" and item.changed >= since
        ]

    def counts(self) -> QueueCounts:
        with self._items.lock:
            items = list(self._items.by_id.values())
        states = Counter(item.state for item in items)
        reasons = Counter((item.state, item.reason) for item in items if item.reason)
        spent = Spent()
        for item in items:
            spent = spent.plus(item.spent)
        return QueueCounts({state: states[state] for state in AUGMENT_STATES}, dict(reasons), spent)

    def open_count(self) -> int:
        return sum(len(self._items.states[state]) for state in OPEN)

    # --- inside, under the lock --------------------------------------------------------------
    def _of(self, state: AugmentState) -> list[Augmentation]:
        return [self._items.by_id[number] for number in sorted(self._items.states[state])]

    def _put(self, item: Augmentation, **changes: Any) -> Augmentation:
        changed = replace(item, **changes, changed=time.time())
        self._items.by_id[item.id] = changed
        if changed.state != item.state:
            del self._items.states[item.state][item.id]
            self._items.states[changed.state][item.id] = None
        return changed

    def _step(self, item: Augmentation, spent: Spent, **changes: Any) -> bool:
        with self._items.lock:
            current = self._items.by_id.get(item.id)
            if current is None or current.state not in OPEN or current.owner != item.owner:
                return False
            self._put(current, spent=current.spent.plus(spent), **changes)
            return True

    def _settle(
        self, ids: Iterable[int], before: AugmentState, after: AugmentState, reason: str
    ) -> None:
        with self._items.lock:
            for number in ids:
                item = self._items.by_id.get(number)
                if item is not None and item.state == before:
                    self._put(item, state=after, reason=reason)

    def _claims(self, owner: str) -> list[Augmentation]:
        return [item for state in OPEN for item in self._of(state) if item.owner == owner]


def _free(item: Augmentation, now: float) -> bool:
    return not item.owner or item.until < now or item.changed > now + AHEAD_SECONDS
