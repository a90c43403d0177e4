"""Where draws and outcomes live: one schema on SQLite, PostgreSQL or memory, chosen by URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curriculum_env.errors import ConfigError
from curriculum_env.store.base import OutcomeReader, Run, Store
from curriculum_env.store.forks import opening

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

__all__ = ["OutcomeReader", "Run", "Store", "open_store"]


def open_store(url: str) -> Store:
    """The store at `url`: `sqlite:///path`, `postgresql+psycopg://...`, `memory://name`.

    An SQLite file and its folders, and the tables of either database, are created when missing.

    Raises:
        ConfigError: `url` has another scheme or cannot be read, or psycopg is not installed.
        SchemaVersionError: another version of the schema wrote the store.
        StoreError: the store cannot be reached, created or read.
    """
    with opening.call():
        return _open(url)


def _open(url: str) -> Store:
    scheme = url.partition("://")[0]
    if scheme == "memory":
        from curriculum_env.store.memory import MemoryStore

        return MemoryStore(url)
    if scheme == "sqlite":
        from curriculum_env.store.sqlite import SqliteStore

        return SqliteStore(_parse(url))
    if scheme == "postgresql+psycopg":
        from curriculum_env.store.postgres import PostgresStore

        return PostgresStore(_parse(url))
    raise ConfigError(
        f"The store {scheme!r} is of no known kind: write sqlite:///path, "
        "postgresql+psycopg://user@host/database or memory://name."
    )


def _parse(url: str) -> URL:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url)
    except (ArgumentError, ValueError) as error:
        raise ConfigError(
            f"The store's URL cannot be read ({error}): write sqlite:///path, "
            "postgresql+psycopg://user@host/database or memory://name."
        ) from error
