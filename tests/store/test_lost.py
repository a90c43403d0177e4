"""Stores that are deleted or replaced, and owners whose row is gone, in the middle of a run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy

from curriculum_env.errors import OwnerError, StoreError
from curriculum_env.recorder import Recorder
from curriculum_env.store import Store, open_store, schema
from curriculum_env.testing.store import drain, make_draws, make_outcomes

GONE = "is gone: it was deleted or replaced while it was in use; put it back"


@pytest.fixture
def path(sqlite_url: str) -> Path:
    return Path(sqlite_url.removeprefix("sqlite:///"))


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def check_gone(store: Store) -> None:
    run = store.last_run
    calls = (
        run, store.heartbeat, store.counts, store.reader().read,
        lambda: store.record(make_outcomes("a", 1)), lambda: store.log_event("warning", {}),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(StoreError, match=GONE) as caught:
            call()
        assert not isinstance(caught.value, OwnerError)


def test_a_deleted_file_is_gone_and_is_not_made_anew(sqlite_url: str, path: Path) -> None:
    with closing(open_store(sqlite_url)) as store:
        store.acquire()
        run = store.start_run({})
        remove(path)
        check_gone(store)
        with pytest.raises(StoreError, match=GONE):
            store.append_draws(run, make_draws(0, 1))
        assert not path.exists()


def test_a_file_replaced_by_another_store_is_gone(sqlite_url: str, path: Path) -> None:
    with closing(open_store(sqlite_url)) as store:
        store.acquire()
        remove(path)
        open_store(sqlite_url).close()
        check_gone(store)


def test_a_file_that_is_put_back_is_used_again(sqlite_url: str, path: Path) -> None:
    with closing(open_store(sqlite_url)) as store:
        store.acquire()
        path.rename(path.with_name("away.db"))
        check_gone(store)
        path.with_name("away.db").rename(path)
        store.append_draws(store.start_run({}), make_draws(0, 1))
        assert store.counts()["draws"] == 1


def test_a_worker_writes_into_the_file_that_is_there(sqlite_url: str, path: Path) -> None:
    with closing(Recorder(sqlite_url)) as recorder:
        recorder.record_nowait(make_outcomes("old", 1)[0])
        assert recorder.flush(10.0)
        remove(path)
        open_store(sqlite_url).close()
        recorder.record_nowait(make_outcomes("new", 1)[0])
        assert recorder.flush(10.0) or recorder.flush(10.0)
    with closing(open_store(sqlite_url)) as store:
        assert [outcome.rollout_id for outcome in drain(store.reader())] == ["new-0"]


def remove_owner(url: str) -> None:
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.delete(schema.owner))
    engine.dispose()


def test_an_owner_whose_row_is_gone_puts_it_back(shared_url: str) -> None:
    with closing(open_store(shared_url)) as store, closing(open_store(shared_url)) as other:
        store.acquire()
        run = store.start_run({})
        for write in (
            store.heartbeat,
            lambda: store.append_draws(run, make_draws(0, 3)),
            lambda: store.append_draws(run, make_draws(3, 3)),
        ):
            remove_owner(shared_url)
            write()
            with pytest.raises(OwnerError, match="belongs to"):
                other.acquire()
        assert store.counts()["draws"] == 6


def test_an_owner_does_not_come_back_after_another_has_drawn(shared_url: str) -> None:
    with closing(open_store(shared_url)) as store, closing(open_store(shared_url)) as other:
        store.acquire()
        run = store.start_run({})
        store.append_draws(run, make_draws(0, 3))
        other.acquire(force=True)
        other.append_draws(run, make_draws(3, 1))
        other.release()
        with pytest.raises(OwnerError, match="nobody owns it"):
            store.append_draws(run, make_draws(3, 1))
        with pytest.raises(OwnerError):
            store.heartbeat()


def test_tables_made_anew_are_another_store(shared_url: str) -> None:
    with closing(open_store(shared_url)) as store:
        store.acquire()
        engine = sqlalchemy.create_engine(shared_url)
        schema.metadata.drop_all(engine)
        engine.dispose()
        open_store(shared_url).close()
        with pytest.raises(StoreError, match=GONE) as caught:
            store.heartbeat()
        assert not isinstance(caught.value, OwnerError)
