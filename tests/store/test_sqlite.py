from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curriculum_env.store import open_store
from curriculum_env.store.sqlite import SqliteStore
from curriculum_env.testing.store import drain, make_outcomes
from tests.store.processes import run, running


def test_the_file_is_in_wal_mode_and_commits_without_waiting_for_the_disk(sqlite_url: str) -> None:
    assert pragma(sqlite_url, "journal_mode") == "wal"
    assert pragma(sqlite_url, "synchronous") == 1


def test_a_second_writer_waits_until_the_first_has_committed(sqlite_url: str) -> None:
    """Row ids are given under the write lock, so they rise in the order of commits: a writer
    that would commit later has no row, and no id, while an earlier one is still open."""
    with closing(open_store(sqlite_url)) as store, closing(_raw(sqlite_url)) as slow:
        store.record(make_outcomes("before", 1))
        slow.execute("BEGIN IMMEDIATE")
        _insert(slow, "slow")
        with (
            closing(_raw(sqlite_url)) as quick,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            _insert(quick, "quick")
        reader = store.reader()
        assert [o.rollout_id for o in drain(reader)] == ["before-0"]
        slow.execute("COMMIT")
        store.record(make_outcomes("after", 1))
        assert [o.rollout_id for o in drain(reader)] == ["slow", "after-0"]


def test_a_commit_survives_the_kill_of_its_process(sqlite_url: str) -> None:
    program = """
store = open_store(url)
store.record([Outcome(0, "uid", str(n), 1.0) for n in range(500)])
print("ready", flush=True)
while True:
    store.record([Outcome(0, "uid", str(time.time()), 1.0)])
"""
    with running(program, sqlite_url) as writer:
        writer.kill()
    with closing(open_store(sqlite_url)) as store:
        read = {outcome.rollout_id for outcome in drain(store.reader())}
    assert read >= {str(n) for n in range(500)}
    assert pragma(sqlite_url, "integrity_check") == "ok"


def test_a_fork_while_threads_write(sqlite_url: str) -> None:
    program = """
from threading import Thread
store = open_store(url)
def write(name, count):
    for n in range(count):
        store.record([Outcome(0, "uid", f"{name}-{n}", 1.0)])
threads = [Thread(target=write, args=(f"parent-{t}", 300)) for t in range(2)]
for thread in threads: thread.start()
children = []
for c in range(5):
    child = os.fork()
    if child == 0:
        write(f"child-{c}", 50)
        os._exit(0)
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
for thread in threads: thread.join()
print(codes, store.counts()["outcomes"])
"""
    assert run(program, sqlite_url) == f"{[0] * 5} {2 * 300 + 5 * 50}\n"


def pragma(url: str, name: str) -> object:
    """As one of the store's own connections has it."""
    with closing(open_store(url)) as store:
        assert isinstance(store, SqliteStore)
        with store._read() as connection:
            return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def _raw(url: str) -> sqlite3.Connection:
    path = url.removeprefix("sqlite:///")
    return sqlite3.connect(path, timeout=0, isolation_level=None)


def _insert(connection: sqlite3.Connection, rollout: str) -> None:
    connection.execute(
        "INSERT INTO curriculum_outcomes VALUES (NULL, 0, 'uid', ?, 1, 'ok', 0, 0, '', 0, 0)",
        (rollout,),
    )
