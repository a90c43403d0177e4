"""The store in one SQLite file: the default, for the processes of one machine.

The file is in WAL mode with `synchronous=NORMAL`: a commit is in the operating system's hands when
it returns, so it survives the death of any process, kill -9 included. Only a power loss or a
kernel crash can take back the commits since the last checkpoint (never the file's integrity);
waiting for the disk on each draw would cost a hundred times the write itself.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, create_engine, event, exists, select
from sqlalchemy.dialects.sqlite import dialect, insert
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError

from curriculum_env.errors import ConfigError, StoreError
from curriculum_env.store import schema
from curriculum_env.store.base import OutcomeReader, Run
from curriculum_env.store.forks import fork_waits
from curriculum_env.store.quick import QuickWriter
from curriculum_env.store.sql import (
    DRAWS,
    OUTCOME_COLUMNS,
    OUTCOMES,
    Rows,
    SqlStore,
    Target,
    draw_values,
    outcome_values,
)
from curriculum_env.types import Draw, Outcome

_BUSY_SECONDS = 30.0
_CLOSING_SECONDS = 4.0
_ROWS_PER_STATEMENT = 64
_TURN_SECONDS = 0.2  # one wait inside SQLite, which nothing can interrupt


class SqliteReader(OutcomeReader):
    """The cursor is the highest row id read. SQLite has one writer at a time and gives each new
    row the highest id, so row ids rise in the order of commits."""

    def __init__(self, store: SqliteStore, cursor: int) -> None:
        self._store = store
        self._cursor = cursor

    def read(self, limit: int = 4096) -> list[Outcome]:
        with self._store._read() as connection:
            rows = connection.exec_driver_sql(_outcomes_after(), (self._cursor, limit)).all()
        if rows:
            self._cursor = rows[-1][0]
        return [Outcome(*row[1:]) for row in rows]

    @property
    def cursor(self) -> int:
        return self._cursor


@cache
def _outcomes_after() -> str:
    """At most so many outcomes (the second value) after a row id (the first)."""
    rowid = schema.outcomes.c.id
    after = select(rowid, *OUTCOME_COLUMNS).where(rowid > bindparam("after")).order_by(rowid)
    return f"{after.compile(dialect=dialect())} LIMIT ?"


@cache
def _insert_of(target: Target, count: int) -> str:
    """One statement for `count` rows: row by row the driver would give up and take back the
    interpreter each time, which a busy event loop hands out every 5 ms."""
    table, fields, key = target
    rows = [dict.fromkeys(fields)] * count
    new = insert(table).values(rows).on_conflict_do_nothing(index_elements=[key])
    return str(new.compile(dialect=dialect()))


@cache
def _insert_as_owner() -> str:
    """Inserts a draw where the owner's token, the last value, is still the store's."""
    table, fields, key = DRAWS
    owns = exists().where(schema.owner.c.token == bindparam("token"))
    values = select(*(bindparam(name, type_=table.c[name].type) for name in fields)).where(owns)
    new = insert(table).from_select(fields, values).on_conflict_do_nothing(index_elements=[key])
    return str(new.compile(dialect=dialect()))


def _parts(rows: Rows) -> Iterator[Rows]:
    """Pieces of few different sizes, so that few statements are ever made."""
    size = _ROWS_PER_STATEMENT
    while rows:
        while size > len(rows):
            size //= 2
        yield rows[:size]
        rows = rows[size:]


class SqliteStore(SqlStore):
    """The store in the file `path`."""

    def __init__(self, url: URL) -> None:
        path = _resolve(url)
        engine = create_engine(url.set(database=str(path)), connect_args={"timeout": _BUSY_SECONDS})
        self._lock = _WriteLock()
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", self._lock.begin)
        self.path = path
        self._file: tuple[int, int] | None = None
        super().__init__(url.render_as_string(), engine)
        self._file = _identify(path)
        self._quick = QuickWriter(path, self._gate)
        event.listen(engine, "engine_disposed", _closing(self._quick))

    def close(self) -> None:
        self._lock.patience = _CLOSING_SECONDS
        super().close()

    def append_draws(self, run: Run, draws: Sequence[Draw]) -> None:
        """One by one they come while a trainer waits for them: the short way first."""
        if len(draws) != 1 or not self._append_at_once(run, draws[0]):
            super().append_draws(run, draws)

    def _append_at_once(self, run: Run, draw: Draw) -> bool:
        claim = self._claim
        if claim is None or not claim.mine():
            return False
        if not self._write_at_once(_insert_as_owner(), (*draw_values(draw), run.id, claim.token)):
            return False
        self._highest_draw = max(self._highest_draw, draw.number)
        return True

    def record_at_once(self, outcome: Outcome) -> bool:
        return self._write_at_once(_insert_of(OUTCOMES, 1), outcome_values(outcome)) is not None

    def _write_at_once(self, statement: str, values: tuple[Any, ...]) -> int | None:
        with self._gate.call(), self._errors():
            return self._quick.write(statement, values)

    def reader(self, cursor: Any = None) -> OutcomeReader:
        return SqliteReader(self, cursor or 0)

    def _insert(self, connection: Connection, target: Target, rows: Rows) -> None:
        for part in _parts(rows):
            connection.exec_driver_sql(_insert_of(target, len(part)), tuple(chain(*part)))

    def _check_place(self) -> None:
        """SQLite itself would go on for ever in a file that no longer has a name."""
        if self._file not in (None, _identify(self.path)):
            raise self._replaced()

    def _lock_schema(self, connection: Connection) -> None:
        """Nothing to do: BEGIN IMMEDIATE already lets in one writer at a time."""

    def _advice(self, cause: str) -> str:
        if "full" in cause:
            return "free some disk space or name a path on another disk"
        if "locked" in cause:
            return f"another process kept it locked for {self._lock.waited:.0f} s; end it or wait"
        if "not a database" in cause or "malformed" in cause:
            return "the file is not a curriculum store; name another path"
        return "name a path in a folder that can be written"


def _resolve(url: URL) -> Path:
    """The absolute path of the database, its folder created."""
    if not url.database or url.database == ":memory:":
        raise ConfigError(
            f"The store {url} names no file: write sqlite:///path/to/curriculum.db, or "
            "memory://name for a store inside this process."
        )
    path = Path(url.database).expanduser().absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The store {url} needs the folder {path.parent}, which cannot be created "
            f"({error.strerror}): name a path in a folder that can be written."
        ) from error
    return path


def _identify(path: Path) -> tuple[int, int] | None:
    """Device and inode; None where there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _configure(connection: sqlite3.Connection, record: object) -> None:
    connection.isolation_level = None  # transactions begin in _begin, not in the driver
    connection.execute("PRAGMA synchronous=NORMAL")
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        connection.execute("PRAGMA journal_mode=WAL")


def _closing(quick: QuickWriter) -> Callable[[Engine], None]:
    return lambda engine: quick.close()


class _WriteLock:
    """Begins transactions; those that write take the lock at once, so that they wait for it
    instead of failing midway. They wait for `patience` seconds, or until a fork must go on."""

    def __init__(self) -> None:
        self.patience = _BUSY_SECONDS
        self.waited = 0.0

    def begin(self, connection: Connection) -> None:
        if not connection.get_execution_options().get("curriculum_write", False):
            connection.exec_driver_sql("BEGIN")
            return
        _set_timeout(connection, _TURN_SECONDS)
        try:
            self._begin_immediate(connection)
        finally:
            _set_timeout(connection, _BUSY_SECONDS)

    def _begin_immediate(self, connection: Connection) -> None:
        begun = time.monotonic()
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                return
            except OperationalError as error:
                self.waited = time.monotonic() - begun
                locked = "locked" in str(error.orig)
                if not locked or fork_waits() or self.waited >= self.patience:
                    raise


def _set_timeout(connection: Connection, seconds: float) -> None:
    driver: Any = connection.connection.driver_connection  # SQLAlchemy would take ten times as long
    driver.execute(f"PRAGMA busy_timeout={seconds * 1000:.0f}")
