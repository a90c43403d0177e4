"""Rows written into an SQLite file without waiting."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.store import open_store, quick
from curriculum_env.store.forks import ForkGate
from curriculum_env.store.quick import QuickWriter
from curriculum_env.store.sqlite import SqliteStore
from curriculum_env.testing.store import drain, make_draws, make_outcomes
from tests.store.processes import run, running

ROW = "INSERT INTO rows VALUES (?)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "odd name?#%.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE rows (text)")
    return path


@pytest.fixture
def writer(path: Path) -> Iterator[QuickWriter]:
    with closing(QuickWriter(path, ForkGate())) as writer:
        yield writer


def wait_for_checkpoints() -> None:
    for thread in threading.enumerate():
        if thread.name == "curriculum-checkpoint":
            thread.join()


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM rows").fetchone()[0])


def test_a_row_is_there_when_it_returns(path: Path, writer: QuickWriter) -> None:
    assert writer.write(ROW, ("a",)) == 1
    assert count(path) == 1


def test_a_closed_writer_opens_again(path: Path, writer: QuickWriter) -> None:
    writer.write(ROW, ("a",))
    writer.close()
    assert writer.write(ROW, ("b",)) == 1
    assert count(path) == 2


def test_a_lock_is_not_waited_for(path: Path, writer: QuickWriter) -> None:
    writer.write(ROW, ("a",))
    with closing(sqlite3.connect(path, isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        assert writer.write(ROW, ("b",)) is None
    assert count(path) == 1


@pytest.mark.parametrize("values", [(), (object(),), (2**64,), ("a", "b")])
def test_what_cannot_be_written_is_refused(
    path: Path, writer: QuickWriter, values: tuple[object, ...]
) -> None:
    assert writer.write(ROW, values) is None
    assert writer.write(ROW, ("a",)) == 1
    assert count(path) == 1


def test_a_file_that_is_gone_is_not_made_anew(path: Path, writer: QuickWriter) -> None:
    path.unlink()
    assert writer.write(ROW, ("a",)) is None
    assert not path.exists()


def test_after_a_slow_commit_it_rests(
    path: Path, writer: QuickWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "_SLOW_SECONDS", 0.0)
    monkeypatch.setattr(quick, "_REST_SECONDS", 0.5)
    assert writer.write(ROW, ("a",)) == 1
    monkeypatch.setattr(quick, "_SLOW_SECONDS", 60.0)
    assert writer.write(ROW, ("b",)) is None
    time.sleep(0.6)
    assert writer.write(ROW, ("c",)) == 1
    assert count(path) == 2


def test_the_log_of_commits_does_not_grow_for_ever(sqlite_url: str) -> None:
    """Nobody else writes, so nobody else makes checkpoints: 27 MB without them."""
    with closing(open_store(sqlite_url)) as store:
        for outcome in make_outcomes("a", 3000):
            assert store.record_at_once(outcome) or store.record([outcome]) is None
            wait_for_checkpoints()
        wal = Path(sqlite_url.removeprefix("sqlite:///") + "-wal")
        assert wal.stat().st_size < 6_000_000
        assert len(drain(store.reader())) == 3000


def test_a_log_that_has_become_long_is_begun_anew_though_others_use_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody reads an old state while the checkpoint begins, so that it stays incomplete."""
    reader = sqlite3.connect(path, isolation_level=None)

    class Checkpointing(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            rows = super().execute(sql, *values)
            if "PASSIVE" in sql:
                reader.rollback()
            return rows

    monkeypatch.setattr(quick, "_LONG_LOG", 1)
    wal = path.with_name(path.name + "-wal")
    with closing(QuickWriter(path, ForkGate())) as writer, closing(reader):
        writer.write(ROW, ("a",))
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM rows").fetchall()
        writer.write(ROW, ("b" * 100_000,))
        size = wal.stat().st_size
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Checkpointing))
        writer._checkpoint()
        writer.write(ROW, ("c" * 50_000,))
        assert wal.stat().st_size == size


def test_after_a_fork_parent_and_child_both_write(sqlite_url: str) -> None:
    program = """
from threading import Thread
store = open_store(url)
def write(name, count):
    for n in range(count):
        outcome = Outcome(0, "uid", f"{name}-{n}", 1.0)
        store.record_at_once(outcome) or store.record([outcome])
thread = Thread(target=write, args=("parent", 2000))
thread.start()
children = []
for c in range(5):
    child = os.fork()
    if child == 0:
        write(f"child-{c}", 300)
        os._exit(0)
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
thread.join()
print(codes, store.counts()["outcomes"])
"""
    assert run(program, sqlite_url) == f"{[0] * 5} {2000 + 5 * 300}\n"
    with closing(open_store(sqlite_url)) as store:
        assert isinstance(store, SqliteStore)
        with store._read() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"


def test_what_was_written_at_once_survives_the_kill_of_its_process(sqlite_url: str) -> None:
    program = """
store = open_store(url)
store.acquire()
life = store.start_run({})
for n in range(400):
    outcome = Outcome(0, "uid", str(n), 1.0)
    store.record_at_once(outcome) or store.record([outcome])
    wrote = store.append_draw_at_once(life, Draw(n, "uid", 1.0, 0.0))
    wrote or store.append_draws(life, [Draw(n, "uid", 1.0, 0.0)])
print("ready", flush=True)
while True:
    store.record_at_once(Outcome(0, "uid", str(time.time()), 1.0))
"""
    with running(program, sqlite_url) as writer:
        writer.kill()
    with closing(open_store(sqlite_url)) as store:
        read = {outcome.rollout_id for outcome in drain(store.reader())}
        assert read >= {str(n) for n in range(400)}
        assert [draw.number for draw in store.draws()] == list(range(400))


def test_an_owner_who_lost_the_store_logs_nothing_at_once(sqlite_url: str) -> None:
    with closing(open_store(sqlite_url)) as store:
        store.acquire()
        run = store.start_run({})
        assert store.append_draw_at_once(run, make_draws(0, 1)[0])
        with closing(open_store(sqlite_url)) as usurper:
            usurper.acquire(force=True)
            assert not store.append_draw_at_once(run, make_draws(1, 1)[0])
