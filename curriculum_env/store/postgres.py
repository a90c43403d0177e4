"""The store on a PostgreSQL server (13 or later), for workers on several hosts.

`?options=-csearch_path%3Dname` in the URL keeps several stores in one database, a schema each.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    Connection,
    Insert,
    bindparam,
    create_engine,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import URL

from curriculum_env.errors import ConfigError
from curriculum_env.store.base import OutcomeReader
from curriculum_env.store.sql import Rows, SqlStore, Target
from curriculum_env.types import Outcome

_LOCK_KEY = 0x637572726963  # one advisory lock for the tables and the owner's row

_CONNECTION = {
    "connect_timeout": 10,
    "keepalives_idle": 30,  # a vanished server is noticed within a minute, not within hours
    "keepalives_interval": 10,
    "keepalives_count": 3,
}

# Transactions that the snapshot `seen` did not see: those then running, and all that began later.
_UNSEEN = text("""
    SELECT page.xid::text, page.id, draw, uid, rollout_id, reward, status, tokens, turns, model,
           wall_time, time
    FROM ((SELECT * FROM curriculum_outcomes
            WHERE xid = ANY(CAST(:running AS xid8[])) AND (xid, id) > (CAST(:xid AS xid8), :id)
              AND pg_visible_in_snapshot(xid, CAST(:until AS pg_snapshot))
            ORDER BY xid, id LIMIT :limit)
          UNION ALL
          (SELECT * FROM curriculum_outcomes
            WHERE (xid, id) > (CAST(:late_xid AS xid8), :late_id)
              AND pg_visible_in_snapshot(xid, CAST(:until AS pg_snapshot))
            ORDER BY xid, id LIMIT :limit)) AS page
    ORDER BY page.xid, page.id LIMIT :limit
""")


class PostgresReader(OutcomeReader):
    """Reads what became visible between two snapshots, so commits may come in any order.

    With several writers neither ids nor transaction numbers (xids) rise in the order of commits:
    a reader that polls for what lies above a mark skips what commits late. Here each row carries
    its xid, and the reader remembers up to which snapshot it has `seen` everything. A round takes
    the current snapshot as `until`, pages by (xid, id) through the rows whose transactions `until`
    sees and `seen` did not, and ends with `seen = until`.

    A long transaction of someone else in the same cluster costs nothing and hides nothing: it is
    one entry in the snapshot's list of running transactions. (Reading only below the snapshot's
    xmin, the usual rule, would go blind until it ends.)
    """

    def __init__(self, store: PostgresStore, cursor: Any) -> None:
        self._store = store
        cursor = cursor or {"seen": "1:1:", "until": None, "after": [0, 0]}
        self._seen, self._until, self._after = (cursor[k] for k in ("seen", "until", "after"))

    def read(self, limit: int = 4096) -> list[Outcome]:
        begun = self._until is not None
        with self._store._read() as connection:
            rows = self._page(connection, limit)
            if begun and not rows:  # the round was over; what came since is a new one
                rows = self._page(connection, limit)
        return [Outcome(*row[2:]) for row in rows]

    def _page(self, connection: Connection, limit: int) -> Sequence[Sequence[Any]]:
        if self._until is None:
            self._until = str(connection.execute(_CURRENT_SNAPSHOT).scalar_one())
        rows = connection.execute(_UNSEEN, self._bounds(limit)).all()
        if rows:
            self._after = [int(rows[-1][0]), rows[-1][1]]
        if len(rows) < limit:
            self._seen, self._until, self._after = self._until, None, [0, 0]
        return rows

    def _bounds(self, limit: int) -> dict[str, Any]:
        _, xmax, running = self._seen.split(":")
        late_xid, late_id = max(self._after, [int(xmax), 0])
        return {
            "running": running.split(",") if running else [],
            "xid": str(self._after[0]),
            "id": self._after[1],
            "late_xid": str(late_xid),
            "late_id": late_id,
            "until": self._until,
            "limit": limit,
        }

    @property
    def cursor(self) -> dict[str, Any]:
        return {"seen": self._seen, "until": self._until, "after": self._after}


_CURRENT_SNAPSHOT = text("SELECT pg_current_snapshot()::text")


@cache
def _insert_of(target: Target) -> Insert:
    """One statement for all rows, an array per column."""
    table, fields, key = target
    arrays = (bindparam(name, type_=ARRAY(table.c[name].type)) for name in fields)
    rows = select(func.unnest(*arrays).table_valued(*fields).render_derived())
    return insert(table).from_select(fields, rows).on_conflict_do_nothing(index_elements=[key])


def shown(url: URL) -> str:
    """The URL for messages: without a password, wherever it stands."""
    secret = [name for name in url.query if "password" in name.lower()]
    return url.set(query={**url.query, **dict.fromkeys(secret, "***")}).render_as_string()


class PostgresStore(SqlStore):
    """The store in the database, and the schema, that `url` leads to."""

    def __init__(self, url: URL) -> None:
        try:
            engine = create_engine(url, isolation_level="READ COMMITTED", connect_args=_CONNECTION)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"The store {shown(url)} needs psycopg, which is not installed: "
                'pip install "curriculum-env[postgres]".'
            ) from error
        super().__init__(shown(url), engine)

    def reader(self, cursor: Any = None) -> OutcomeReader:
        return PostgresReader(self, cursor)

    def record(self, outcomes: Sequence[Outcome]) -> None:
        """In one order everywhere, so that two writers of the same rollouts cannot deadlock."""
        super().record(sorted(outcomes, key=lambda outcome: outcome.rollout_id))

    def _insert(self, connection: Connection, target: Target, rows: Rows) -> None:
        columns = map(list, zip(*rows, strict=True))
        connection.execute(_insert_of(target), dict(zip(target.fields, columns, strict=True)))

    def _lock_schema(self, connection: Connection) -> None:
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))

    def _now(self, connection: Connection) -> float:
        now = select(func.extract("epoch", func.clock_timestamp()))
        return float(connection.execute(now).scalar_one())

    def _advice(self, cause: str) -> str:
        if "disk" in cause or "No space" in cause:
            return "free some disk space on the server"
        return "check that the server runs and that the URL's host, user and database are right"
