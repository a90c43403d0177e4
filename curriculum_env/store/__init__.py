"""Where draws and outcomes live: one schema on SQLite, PostgreSQL or memory, chosen by URL."""

from curriculum_env.store.base import OutcomeReader, Run, Store

__all__ = ["OutcomeReader", "Run", "Store", "open_store"]


def open_store(url: str) -> Store:
    """The store at `url`: `sqlite:///path`, `postgresql+psycopg://...`, `memory://name`."""
    raise NotImplementedError(url)
