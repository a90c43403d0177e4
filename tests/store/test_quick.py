"""Rows written into an SQLite file without waiting."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.errors import OwnerError
from curriculum_env.store import Run, open_store, quick
from curriculum_env.store.forks import ForkGate
from curriculum_env.store.quick import QuickWriter
from curriculum_env.store.sql import SqlStore
from curriculum_env.store.sqlite import SqliteStore
from curriculum_env.testing.store import drain, make_draws, make_outcomes
from curriculum_env.types import Draw
from tests.store.processes import run, running

ROW = "INSERT INTO rows VALUES (?)"


@pytest.fixture(autouse=True)
def _busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which may stop a test in the middle of a commit."""
    monkeypatch.setattr(quick, "_SLOW_SECONDS", 60.0)


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


def test_after_a_slow_commit_it_rests_each_time_longer(
    path: Path, writer: QuickWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(quick, "_SLOW_SECONDS", -1.0)
    for rest in (5.0, 10.0, 20.0):
        assert writer.write(ROW, ("a",)) == 1
        now += rest - 0.1
        assert writer.write(ROW, ("a",)) is None
        now += 0.2
    assert count(path) == 3


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
    store.append_draws(life, [Draw(n, "uid", 1.0, 0.0)])
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


def test_only_the_owner_logs_a_draw_the_short_way(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: list[str] = []
    whole = SqlStore.append_draws

    def long_way(self: SqlStore, run: Run, draws: Sequence[Draw]) -> None:
        ways.append("long")
        whole(self, run, draws)

    monkeypatch.setattr(SqlStore, "append_draws", long_way)
    with closing(open_store(sqlite_url)) as store, closing(open_store(sqlite_url)) as usurper:
        store.acquire()
        run = store.start_run({})
        first, second, third = make_draws(0, 3)
        store.append_draws(run, [first])
        assert ways == []
        usurper.acquire(force=True)
        with pytest.raises(OwnerError):
            store.append_draws(run, [second])
        assert ways == ["long"]
        usurper.append_draws(run, [third])
        assert list(usurper.draws()) == [first, third]
        assert usurper.start_run({}).first_draw == 3
