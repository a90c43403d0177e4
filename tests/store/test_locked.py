"""An SQLite file that somebody keeps locked for long."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from threading import Thread

import pytest

from curriculum_env.errors import StoreError
from curriculum_env.store import open_store, sqlite
from curriculum_env.testing.store import make_outcomes
from tests.store.processes import run


@pytest.fixture
def lock(sqlite_url: str) -> Iterator[sqlite3.Connection]:
    """A connection that can lock the store."""
    open_store(sqlite_url).close()
    path = sqlite_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as lock:
        yield lock


def test_a_writer_waits_for_the_lock(sqlite_url: str, lock: sqlite3.Connection) -> None:
    with closing(open_store(sqlite_url)) as store:
        lock.execute("BEGIN IMMEDIATE")
        writer = Thread(target=store.record, args=(make_outcomes("a", 1),))
        writer.start()
        time.sleep(3 * sqlite._TURN_SECONDS)
        assert writer.is_alive()
        lock.execute("COMMIT")
        writer.join(10.0)
        assert store.counts()["outcomes"] == 1


def test_a_wait_that_ends_says_how_long_it_was(
    sqlite_url: str, lock: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_SECONDS", 1.0)
    with closing(open_store(sqlite_url)) as store:
        lock.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process kept it locked for 1 s; end it"):
            store.record(make_outcomes("a", 1))
        lock.execute("COMMIT")


def test_closing_waits_for_seconds_only(
    sqlite_url: str, lock: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(sqlite_url)
    store.acquire()
    lock.execute("BEGIN IMMEDIATE")
    begun = time.monotonic()
    store.close()
    assert time.monotonic() - begun < 6.0
    assert "was left behind" in caplog.text


FORK = """
import sqlite3
from threading import Thread
store = open_store(url)
lock = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
lock.execute("BEGIN IMMEDIATE")
said = []
def write():
    try:
        store.record([Outcome(0, "uid", "waits", 1.0)])
    except Exception as error:
        said.append(type(error).__name__)
writer = Thread(target=write)
writer.start()
time.sleep(0.5)
begun = time.monotonic()
child = os.fork()
if child == 0:
    os._exit(0)
took = time.monotonic() - begun
os.waitpid(child, 0)
writer.join()
lock.execute("COMMIT")
store.record([Outcome(0, "uid", "later", 1.0)])
print(took < 2.0, said, store.counts()["outcomes"])
"""


def test_a_fork_does_not_wait_for_somebody_elses_lock(sqlite_url: str) -> None:
    assert run(FORK, sqlite_url) == "True ['StoreError'] 1\n"
