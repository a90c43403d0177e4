"""The queue of augmentations of an SQL store."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from curriculum_env.store import schema
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

if TYPE_CHECKING:
    from curriculum_env.store.sql import SqlStore

_TABLE = schema.augmentations
_C = _TABLE.c
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_PAGE = 1024
_FURTHEST_FIRST = (case((_C.state == "proposed", 0), else_=1), _C.id)


class SqlQueue(Queue):
    """Items in a table. A claim takes a row lock on PostgreSQL and the write lock on SQLite, so
    that no two processes get the same item."""

    def __init__(self, store: SqlStore) -> None:
        self._store = store

    def ask(self, requests: Sequence[Asked]) -> None:
        if requests:
            with self._store._write() as connection:
                new = _INSERT[connection.dialect.name](_TABLE)
                rows = [_columns(asked) for asked in requests]
                connection.execute(new.on_conflict_do_nothing(index_elements=["key"]), rows)

    def accepted(self, limit: int = 64) -> list[Augmentation]:
        query = select(_TABLE).where(_C.state == "accepted").order_by(_C.id).limit(limit)
        with self._store._read() as connection:
            return [_item(row) for row in connection.execute(query)]

    def insert(self, ids: Iterable[int]) -> None:
        self._settle(ids, "accepted", "inserted", "")

    def refuse(self, ids: Iterable[int], reason: str) -> None:
        self._settle(ids, "accepted", "discarded", reason)

    def quarantine(self, ids: Iterable[int], reason: str) -> None:
        self._settle(ids, "inserted", "quarantined", reason)

    def claim(self, owner: str, limit: int, seconds: float) -> list[Augmentation]:
        with self._store._write() as connection:
            now = self._store._now(connection)
            free = or_(_C.owner == "", _C.until < now, _C.changed > now + AHEAD_SECONDS)
            query = select(_C.id).where(_C.state.in_(OPEN), free).order_by(*_FURTHEST_FIRST)
            query = query.limit(limit).with_for_update(skip_locked=True)
            ids = connection.execute(query).scalars().all()
            if not ids:
                return []
            values = {"owner": owner, "until": now + seconds, "changed": now}
            connection.execute(update(_TABLE).where(_C.id.in_(ids)), values)
            rows = connection.execute(
                select(_TABLE).where(_C.id.in_(ids)).order_by(*_FURTHEST_FIRST)
            )
            return [_item(row) for row in rows]

    def renew(self, owner: str, ids: Iterable[int], seconds: float) -> int:
        chosen = list(ids)
        if not chosen:
            return 0
        mine = update(_TABLE).where(_C.id.in_(chosen), _C.state.in_(OPEN), _C.owner == owner)
        with self._store._write() as connection:
            now = self._store._now(connection)
            return connection.execute(mine, {"until": now + seconds, "changed": now}).rowcount

    def release(self, owner: str) -> None:
        with self._store._write() as connection:
            mine = update(_TABLE).where(_C.state.in_(OPEN), _C.owner == owner)
            connection.execute(mine, {"owner": "", "until": 0.0})

    def give_back(self, item: Augmentation, spent: Spent = FREE, *, tried: bool = True) -> bool:
        return self._step(item, spent, {"owner": "", "until": 0.0, "tries": item.tries + tried})

    def propose(
        self, item: Augmentation, candidate: Mapping[str, Any], spent: Spent = FREE
    ) -> bool:
        if item.state == "proposed":
            return False
        values = {"state": "proposed", "candidate": storable_json(candidate)}
        return self._step(item, spent, values)

    def accept(
        self,
        item: Augmentation,
        child: Row,
        provenance: Mapping[str, Any] | None = None,
        spent: Spent = FREE,
    ) -> bool:
        kept = storable_json(provenance or {})
        values = {"state": "accepted", "child": plain(child), "provenance": kept, "owner": ""}
        return self._step(item, spent, values)

    def discard(self, item: Augmentation, reason: str, spent: Spent = FREE) -> bool:
        return self._step(item, spent, {"state": "discarded", "reason": reason, "owner": ""})

    def items(self, state: AugmentState | None = None) -> Iterator[Augmentation]:
        page = select(_TABLE).order_by(_C.id).limit(_PAGE)
        if state is not None:
            page = page.where(_C.state == state)
        last = -1
        while True:
            with self._store._read() as connection:
                rows = connection.execute(page.where(_C.id > last)).all()
            yield from map(_item, rows)
            if len(rows) < _PAGE:
                return
            last = rows[-1].id

    def claims(self, but: str) -> list[Augmentation]:
        with self._store._read() as connection:
            now = self._store._now(connection)
            held = _C.owner.not_in(("", but)), _C.until >= now
            query = select(_TABLE).where(_C.state.in_(OPEN), *held).order_by(_C.id)
            return [_item(row) for row in connection.execute(query)]

    def made(self, since: float) -> list[Row]:
        accepted = _C.state.not_in((*OPEN, "discarded"))
        query = select(_C.child).where(accepted, _C.changed >= since).order_by(_C.id)
        with self._store._read() as connection:
            return [row_of(child) for child in connection.execute(query).scalars()]

    def counts(self) -> QueueCounts:
        totals = (func.sum(column) for column in (_C.requests, _C.tokens, _C.money))
        query = select(_C.state, _C.reason, func.count(), *totals).group_by(_C.state, _C.reason)
        states: Counter[str] = Counter()
        reasons: dict[tuple[AugmentState, str], int] = {}
        spent = Spent()
        with self._store._read() as connection:
            rows = connection.execute(query).all()
        for state, reason, count, requests, tokens, money in rows:
            states[state] += count
            spent = spent.plus(Spent(int(requests), int(tokens), float(money)))
            if reason:
                reasons[state, reason] = count
        return QueueCounts({state: states[state] for state in AUGMENT_STATES}, reasons, spent)

    def open_count(self) -> int:
        query = select(func.count()).select_from(_TABLE).where(_C.state.in_(OPEN))
        with self._store._read() as connection:
            return int(connection.execute(query).scalar_one())

    # --- inside ------------------------------------------------------------------------------
    def _step(self, item: Augmentation, spent: Spent, values: Mapping[str, Any]) -> bool:
        mine = update(_TABLE).where(_C.id == item.id, _C.state.in_(OPEN), _C.owner == item.owner)
        total = {
            "requests": _C.requests + spent.requests,
            "tokens": _C.tokens + spent.tokens,
            "money": _C.money + spent.money,
            "changed": time.time(),
        }
        with self._store._write() as connection:
            return connection.execute(mine.values({**values, **total})).rowcount == 1

    def _settle(
        self, ids: Iterable[int], before: AugmentState, after: AugmentState, reason: str
    ) -> None:
        chosen = list(ids)
        if chosen:
            values = {"state": after, "reason": reason, "changed": time.time()}
            with self._store._write() as connection:
                which = update(_TABLE).where(_C.id.in_(chosen), _C.state == before)
                connection.execute(which, values)


def _columns(asked: Asked) -> dict[str, Any]:
    now = time.time()
    return {
        "key": asked.key,
        "kind": asked.kind,
        "draw": asked.draw,
        "source": plain(asked.source),
        "generation": asked.generation,
        "belief": asked.belief,
        "state": "asked",
        "reason": "",
        "provenance": {},
        **dict.fromkeys(("requests", "tokens", "money", "tries", "until"), 0),
        "owner": "",
        "created": now,
        "changed": now,
    }


def _item(row: Any) -> Augmentation:
    source = row_of(row.source)
    return Augmentation(
        id=row.id,
        asked=Asked(row.key, row.kind, row.draw, source, row.generation, row.belief),
        state=row.state,
        reason=row.reason,
        candidate=row.candidate,
        child=None if row.child is None else row_of(row.child),
        provenance=row.provenance,
        spent=Spent(row.requests, row.tokens, row.money),
        tries=row.tries,
        owner=row.owner,
        until=row.until,
        created=row.created,
        changed=row.changed,
    )
