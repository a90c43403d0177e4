"""A store inside one process: for tests, notebooks and loops without workers."""

from __future__ import annotations

import time
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any
from uuid import uuid4

from curriculum_env.errors import StoreError
from curriculum_env.store.base import OutcomeReader, Run, Store
from curriculum_env.store.memory_queue import MemoryItems, MemoryQueue
from curriculum_env.store.owner import Owner, lost, refusal
from curriculum_env.types import STATUSES, Draw, Outcome


@dataclass
class _Data:
    """What all stores of one name share; `lock` guards every change."""

    identity: str = field(default_factory=lambda: str(uuid4()))
    lock: RLock = field(default_factory=RLock)
    runs: list[Run] = field(default_factory=list)
    draws: dict[int, Draw] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    rollouts: set[str] = field(default_factory=set)
    events: list[dict[str, Any]] = field(default_factory=list)
    items: MemoryItems = field(default_factory=MemoryItems)
    owner: Owner | None = None


_shared: dict[str, _Data] = {}


class MemoryReader(OutcomeReader):
    """The cursor is the count of outcomes read."""

    def __init__(self, data: _Data, cursor: int) -> None:
        self._data = data
        self._cursor = cursor

    def read(self, limit: int = 4096) -> list[Outcome]:
        outcomes = self._data.outcomes[self._cursor : self._cursor + limit]
        self._cursor += len(outcomes)
        return outcomes

    @property
    def cursor(self) -> int:
        return self._cursor


class MemoryStore(Store):
    """`memory://name` is shared by name within the process; bare `memory://` is private."""

    def __init__(self, url: str) -> None:
        self.url = url
        name = url.removeprefix("memory://")
        self._data = _shared.setdefault(name, _Data()) if name else _Data()
        self.identity = self._data.identity
        self._claim: Owner | None = None
        self._closed = False

    @property
    def queue(self) -> MemoryQueue:
        return MemoryQueue(self._open().items)

    def acquire(self, *, force: bool = False) -> None:
        data, now = self._open(), time.time()
        with data.lock:
            if self._owns():
                return
            if data.owner is not None and not force and data.owner.alive(now):
                raise refusal(self.url, data.owner, now)
            data.owner = self._claim = Owner.claim(self, now)

    def heartbeat(self) -> None:
        data = self._open()
        with data.lock:
            data.owner = self._claim = self._check_owner().beat(time.time())

    def release(self) -> None:
        with self._data.lock:
            if self._owns():
                self._data.owner = None
            self._claim = None

    def start_run(self, config: Mapping[str, Any]) -> Run:
        data = self._open()
        with data.lock:
            self._check_owner()
            first_draw = data.numbers[-1] + 1 if data.numbers else 0
            run = Run(len(data.runs) + 1, first_draw, time.time(), dict(config))
            data.runs.append(run)
        return run

    def last_run(self) -> Run | None:
        runs = self._open().runs
        return runs[-1] if runs else None

    def append_draws(self, run: Run, draws: Sequence[Draw]) -> None:
        data = self._open()
        with data.lock:
            self._check_owner()
            for draw in draws:
                if draw.number not in data.draws:
                    data.draws[draw.number] = draw
                    insort(data.numbers, draw.number)

    def draws(self, first: int = 0, last: int | None = None) -> Iterator[Draw]:
        data = self._open()
        with data.lock:
            start = bisect_left(data.numbers, first)
            stop = None if last is None else bisect_left(data.numbers, last)
            numbers = data.numbers[start:stop]
        return (data.draws[number] for number in numbers)

    def record(self, outcomes: Sequence[Outcome]) -> None:
        data = self._open()
        with data.lock:
            for outcome in outcomes:
                if outcome.rollout_id not in data.rollouts:
                    data.rollouts.add(outcome.rollout_id)
                    data.outcomes.append(outcome)

    def reader(self, cursor: Any = None) -> OutcomeReader:
        return MemoryReader(self._open(), cursor or 0)

    def log_event(self, kind: str, data: Mapping[str, Any]) -> None:
        self._open().events.append({**data, "kind": kind, "time": time.time()})

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        events = list(self._open().events)
        return [dict(event) for event in events if kind in (None, event["kind"])]

    def counts(self) -> dict[str, int]:
        data = self._open()
        with data.lock:
            statuses = [outcome.status for outcome in data.outcomes]
            draws = len(data.draws)
        by_status: dict[str, int] = {status: statuses.count(status) for status in STATUSES}
        return {"draws": draws, "outcomes": len(statuses), **by_status}

    def close(self) -> None:
        self.release()
        self._closed = True

    def _open(self) -> _Data:
        if self._closed:
            raise StoreError(f"The store {self.url} is closed: open it again with open_store().")
        return self._data

    def _owns(self) -> bool:
        claim, owner = self._claim, self._data.owner
        return bool(claim and owner and claim.token == owner.token and claim.mine())

    def _check_owner(self) -> Owner:
        if not self._owns() or self._claim is None:
            raise lost(self.url, self._data.owner, time.time())
        return self._claim
