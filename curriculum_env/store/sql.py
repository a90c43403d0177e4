"""The part of the SQL stores that is the same on every database."""

from __future__ import annotations

import logging
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4
from weakref import finalize

from sqlalchemy import Connection, Engine, Table, delete, func, insert, select, update
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    ProgrammingError,
    SQLAlchemyError,
    StatementError,
)

from curriculum_env.errors import RejectedError, SchemaVersionError, StoreError
from curriculum_env.store import schema
from curriculum_env.store.base import Run, Store
from curriculum_env.store.forks import ForkGate
from curriculum_env.store.owner import Owner, lost, refusal
from curriculum_env.store.sql_queue import SqlQueue
from curriculum_env.types import STATUSES, Draw, Outcome

DRAW_FIELDS = tuple(field.name for field in fields(Draw))
OUTCOME_FIELDS = tuple(field.name for field in fields(Outcome))
DRAW_COLUMNS = [schema.draws.c[name] for name in DRAW_FIELDS]
OUTCOME_COLUMNS = [schema.outcomes.c[name] for name in OUTCOME_FIELDS]

_OWNER = select(*(column for column in schema.owner.c if column.name != "id"))
_OWNER_TOKEN = select(schema.owner.c.token).with_for_update(read=True)

_PAGE = 16384  # rows read at a time from the log of draws

_log = logging.getLogger(__name__)

Rows: TypeAlias = list[tuple[Any, ...]]


class Target(NamedTuple):
    """A table that rows are inserted into: the order of their values and the column that tells
    one row from another."""

    table: Table
    fields: tuple[str, ...]
    key: str


DRAWS = Target(schema.draws, (*DRAW_FIELDS, "run"), "number")
OUTCOMES = Target(schema.outcomes, OUTCOME_FIELDS, "rollout_id")

draw_values = attrgetter(*DRAW_FIELDS)
outcome_values = attrgetter(*OUTCOME_FIELDS)


class SqlStore(Store):
    """A store on an SQLAlchemy engine. `url` is what messages show: without a password."""

    def __init__(self, url: str, engine: Engine) -> None:
        self.url = url
        self._engine = engine
        self._writing = engine.execution_options(curriculum_write=True)
        self._select_token = str(_OWNER_TOKEN.compile(dialect=engine.dialect))
        self._gate = ForkGate(engine.dispose)
        self._claim: Owner | None = None
        self._highest_draw = -1  # of those in the store while this one owned it
        self._closed = False
        self._close_connections = finalize(self, engine.dispose)
        self._prepare()

    # --- what differs between databases ------------------------------------------------------
    @abstractmethod
    def _insert(self, connection: Connection, target: Target, rows: Rows) -> None:
        """Insert `rows` into `target`, without those whose key is there already."""

    @abstractmethod
    def _advice(self, cause: str) -> str:
        """What to do about the database's message `cause`; it ends the sentence."""

    @abstractmethod
    def _lock_schema(self, connection: Connection) -> None:
        """Let one process at a time create the tables or change the owner."""

    @property
    def queue(self) -> SqlQueue:
        return SqlQueue(self)

    def _check_place(self) -> None:
        """Raise `StoreError` where the database is no longer the one that was opened."""

    def _now(self, connection: Connection) -> float:
        """Unix seconds by the clock that all processes of this store share."""
        return time.time()

    # --- the client's side -------------------------------------------------------------------
    def acquire(self, *, force: bool = False) -> None:
        with self._write() as connection:
            self._lock_schema(connection)
            now, owner = self._now(connection), self._owner(connection)
            if owner is not None and self._owns(owner.token):
                return
            if owner is not None and not force and owner.alive(now):
                raise refusal(self.url, owner, now)
            claim = Owner.claim(self, now)
            connection.execute(delete(schema.owner))
            connection.execute(insert(schema.owner), {"id": 1, **asdict(claim)})
            highest = _highest(connection)
        self._claim, self._highest_draw = claim, highest

    def heartbeat(self) -> None:
        with self._write() as connection:
            self._check_owner(connection)
            connection.execute(update(schema.owner), {"heartbeat": self._now(connection)})

    def release(self) -> None:
        claim, self._claim = self._claim, None
        if claim is not None and claim.mine():
            with self._write() as connection:
                connection.execute(delete(schema.owner).where(schema.owner.c.token == claim.token))

    def start_run(self, config: Mapping[str, Any]) -> Run:
        with self._write() as connection:
            self._check_owner(connection)
            first_draw = _highest(connection) + 1
            values = {"first_draw": first_draw, "started": time.time(), "config": dict(config)}
            statement = insert(schema.runs).returning(*schema.runs.c)
            return Run(*connection.execute(statement, values).one())

    def last_run(self) -> Run | None:
        newest = select(schema.runs).order_by(schema.runs.c.id.desc()).limit(1)
        with self._read() as connection:
            row = connection.execute(newest).first()
        return None if row is None else Run(*row)

    def append_draws(self, run: Run, draws: Sequence[Draw]) -> None:
        rows = [(*draw_values(draw), run.id) for draw in draws]
        if rows:
            with self._write() as connection:
                self._check_owner(connection)
                self._insert(connection, DRAWS, rows)
            self._highest_draw = max(self._highest_draw, *(draw.number for draw in draws))

    def draws(self, first: int = 0, last: int | None = None) -> Iterator[Draw]:
        number = schema.draws.c.number
        page = select(*DRAW_COLUMNS).where(number >= first).order_by(number).limit(_PAGE)
        if last is not None:
            page = page.where(number < last)
        with self._read() as connection:
            rows = connection.execute(page).all()
        while rows:
            yield from (Draw(*row) for row in rows)
            if len(rows) < _PAGE:
                return
            with self._read() as connection:
                rows = connection.execute(page.where(number > rows[-1][0])).all()

    # --- the workers' side -------------------------------------------------------------------
    def record(self, outcomes: Sequence[Outcome]) -> None:
        if outcomes:
            rows = [outcome_values(outcome) for outcome in outcomes]
            with self._write() as connection:
                self._insert(connection, OUTCOMES, rows)

    # --- anyone ------------------------------------------------------------------------------
    def log_event(self, kind: str, data: Mapping[str, Any]) -> None:
        values = {"kind": kind, "time": time.time(), "data": dict(data)}
        with self._write() as connection:
            connection.execute(insert(schema.events), values)

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        table = schema.events
        query = select(table.c.data, table.c.kind, table.c.time).order_by(table.c.id)
        if kind is not None:
            query = query.where(table.c.kind == kind)
        with self._read() as connection:
            rows = connection.execute(query).all()
        return [{**row.data, "kind": row.kind, "time": row.time} for row in rows]

    def counts(self) -> dict[str, int]:
        status = schema.outcomes.c.status
        with self._read() as connection:
            draws = connection.execute(select(func.count()).select_from(schema.draws)).scalar_one()
            rows = connection.execute(select(status, func.count()).group_by(status)).all()
        by_status: dict[str, int] = dict.fromkeys(STATUSES, 0)
        by_status.update((row[0], row[1]) for row in rows)
        return {"draws": draws, "outcomes": sum(by_status.values()), **by_status}

    def close(self) -> None:
        if self._closed:
            return
        try:
            self.release()
        except StoreError as error:  # the next owner finds this process gone
            _log.warning("The lock of %s was left behind: %s", self.url, error)
        self._closed = True
        self._close_connections()

    # --- connections -------------------------------------------------------------------------
    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with self._gate.call(), self._errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._gate.call(), self._errors(), self._writing.begin() as connection:
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        if self._closed:
            raise StoreError(f"The store {self.url} is closed: open it again with open_store().")
        self._check_place()
        try:
            yield
        except (OverflowError, TypeError, ValueError) as error:
            raise self._rejected(str(error)) from error
        except SQLAlchemyError as error:
            cause = str(getattr(error, "orig", None) or error).partition("\n")[0]
            if _refuses_values(error):
                raise self._rejected(cause) from error
            raise StoreError(
                f"The store {self.url} cannot be used ({cause}): {self._advice(cause)}."
            ) from error

    def _rejected(self, cause: str) -> RejectedError:
        return RejectedError(
            f"The store {self.url} cannot hold a value ({cause}): give each column a value of its "
            "own type."
        )

    # --- schema and owner --------------------------------------------------------------------
    def _prepare(self) -> None:
        """Create the tables in an empty store, or check that they are of this version."""
        with self._read() as connection:
            found = self._meta(connection)
        if not found:
            with self._write() as connection:
                self._lock_schema(connection)
                found = self._meta(connection) or self._create(connection)
        version = found.get("schema_version") if "identity" in found else "0"
        if version != str(schema.SCHEMA_VERSION):
            raise SchemaVersionError(
                f"The store {self.url} has schema version {version} and this "
                f"release of curriculum-env writes version {schema.SCHEMA_VERSION}: open it with "
                "the release that wrote it, or name a new store."
            )
        self.identity = found["identity"]
        self._prepare_queue()

    def _prepare_queue(self) -> None:
        """A store of an earlier release gains the table of augmentations."""
        with self._read() as connection:
            if self._engine.dialect.has_table(connection, schema.augmentations.name):
                return
        with self._write() as connection:
            self._lock_schema(connection)
            schema.augmentations.create(connection, checkfirst=True)

    def _meta(self, connection: Connection) -> dict[str, str]:
        if not self._engine.dialect.has_table(connection, schema.meta.name):
            return {}
        rows = connection.execute(select(schema.meta.c.key, schema.meta.c.value))
        return {row.key: row.value for row in rows}

    def _create(self, connection: Connection) -> dict[str, str]:
        made = {"schema_version": str(schema.SCHEMA_VERSION), "identity": str(uuid4())}
        schema.metadata.create_all(connection)
        rows = [{"key": key, "value": value} for key, value in made.items()]
        connection.execute(insert(schema.meta), rows)
        return made

    def _owner(self, connection: Connection) -> Owner | None:
        row = connection.execute(_OWNER).first()
        return None if row is None else Owner(*row)

    def _owns(self, token: str | None) -> bool:
        claim = self._claim
        return claim is not None and claim.mine() and claim.token == token

    def _check_owner(self, connection: Connection) -> None:
        """Raise unless this store is the owner; if so, it stays it until the transaction ends."""
        token = connection.exec_driver_sql(self._select_token).scalar()
        if not self._owns(token) and not (token is None and self._reclaim(connection)):
            raise lost(self.url, self._owner(connection), self._now(connection))

    def _reclaim(self, connection: Connection) -> bool:
        """Put back the owner's row that is gone, unless somebody else has drawn since."""
        claim = self._claim
        if claim is None or not claim.mine():
            return False
        if self._meta(connection).get("identity") != self.identity:
            raise self._replaced()
        self._lock_schema(connection)
        if self._owner(connection) is not None or _highest(connection) > self._highest_draw:
            return False
        row = {"id": 1, **asdict(claim.beat(self._now(connection)))}
        connection.execute(insert(schema.owner), row)
        return True

    def _replaced(self) -> StoreError:
        return StoreError(
            f"The store {self.url} is gone: it was deleted or replaced while it was in use; put it "
            "back, or end this run and name a new store."
        )


def _highest(connection: Connection) -> int:
    """The highest number of a draw, -1 without any."""
    highest = connection.execute(select(func.max(schema.draws.c.number))).scalar()
    return -1 if highest is None else int(highest)


_BINDING = ("binding parameter", "cannot adapt")  # as sqlite3 and psycopg put it
_WRONG_TYPE = ("42804", "42846", "42P18")  # as a PostgreSQL server does: SQLSTATE


def _refuses_values(error: SQLAlchemyError) -> bool:
    """Whether the values are at fault, and not the connection, a lock or the tables."""
    if isinstance(error, DataError | IntegrityError):
        return True
    if isinstance(error, InterfaceError | ProgrammingError):
        state = getattr(error.orig, "sqlstate", None)
        return state in _WRONG_TYPE or any(words in str(error.orig) for words in _BINDING)
    return isinstance(error, StatementError) and not isinstance(error, DBAPIError)
