from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any, TypeAlias

import psycopg
import pytest
import sqlalchemy

from curriculum_env.errors import StoreError
from curriculum_env.store import Store, open_store
from curriculum_env.store.postgres import _UNSEEN, PostgresReader, PostgresStore
from curriculum_env.testing.postgres import postgres_server
from curriculum_env.testing.store import drain, make_outcomes
from curriculum_env.types import Outcome
from tests.store.processes import run

Connections: TypeAlias = list[psycopg.Connection[Any]]


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with closing(open_store(postgres_url)) as store:
        yield store


@pytest.fixture
def writers(postgres_url: str) -> Iterator[Connections]:
    """Connections whose transactions end when the test says so."""
    with ExitStack() as stack:
        raw = postgres_url.replace("+psycopg", "")
        yield [stack.enter_context(closing(psycopg.connect(raw))) for _ in range(3)]


def insert(connection: psycopg.Connection[Any], rollout: str) -> None:
    connection.execute(
        "INSERT INTO curriculum_outcomes (draw, uid, rollout_id, reward, status, tokens, turns,"
        " model, wall_time, time) VALUES (0, 'uid', %s, 1, 'ok', 0, 0, '', 0, 0)",
        [rollout],
    )


def ids(outcomes: list[Outcome]) -> list[str]:
    return [outcome.rollout_id for outcome in outcomes]


def test_what_commits_late_is_not_skipped(store: Store, writers: Connections) -> None:
    early, late, reader = *writers[:2], store.reader()
    insert(early, "first id, last commit")
    insert(late, "last id, first commit")
    late.commit()
    assert ids(reader.read()) == ["last id, first commit"]
    store.record(make_outcomes("more", 1))
    assert ids(reader.read()) == ["more-0"]
    reader = store.reader(json.loads(json.dumps(reader.cursor)))
    early.commit()
    assert ids(reader.read()) == ["first id, last commit"]
    assert reader.read() == []


def test_what_is_rolled_back_is_never_seen(store: Store, writers: Connections) -> None:
    reader = store.reader()
    insert(writers[0], "never")
    assert reader.read() == []
    writers[0].rollback()
    store.record(make_outcomes("a", 1))
    assert ids(drain(reader)) == ["a-0"]


def test_commits_while_a_round_is_paged(store: Store, writers: Connections) -> None:
    reader = store.reader()
    insert(writers[0], "open")
    store.record(make_outcomes("a", 5))
    assert len(reader.read(2)) == 2
    writers[0].commit()
    store.record(make_outcomes("b", 5))
    assert sorted(ids(drain(reader, 2))) == sorted(
        ["open", *(f"a-{n}" for n in range(2, 5)), *(f"b-{n}" for n in range(5))]
    )


def test_a_long_transaction_of_someone_else_hides_nothing(
    store: Store, writers: Connections
) -> None:
    writers[0].execute("CREATE TABLE foreign_work (n int)")  # holds its xid until it ends
    reader, read = store.reader(), []
    for number in range(50):
        store.record(make_outcomes(str(number), 3))
        read += reader.read()
        assert len(read) == 3 * (number + 1)
    writers[0].rollback()
    assert reader.read() == []


def test_the_reader_goes_by_the_index(store: Store) -> None:
    """Reading goes on from the cursor instead of scanning what was read before."""
    for batch in range(5):
        store.record(make_outcomes(str(batch), 2000))
    reader = store.reader()
    reader.read(7000)
    assert isinstance(store, PostgresStore)
    assert isinstance(reader, PostgresReader)
    with store._write() as connection:
        connection.exec_driver_sql("ANALYZE curriculum_outcomes")
        explain = sqlalchemy.text(f"EXPLAIN (ANALYZE, FORMAT JSON) {_UNSEEN}")
        plan = json.dumps(connection.execute(explain, reader._bounds(100)).scalar())
    assert "Seq Scan" not in plan
    assert '"Rows Removed by Filter": 0' in plan


def test_writers_with_the_same_outcomes_in_opposite_order(store: Store, postgres_url: str) -> None:
    program = """
import multiprocessing
def work(step):
    store = open_store(url)
    barrier.wait()
    for batch in range(30):
        outcomes = [Outcome(0, "uid", f"{batch}-{n}", 1.0) for n in range(200)]
        store.record(outcomes[::step])
    store.close()
context = multiprocessing.get_context("fork")
barrier = context.Barrier(2)
processes = [context.Process(target=work, args=(step,)) for step in (1, -1)]
for process in processes: process.start()
for process in processes: process.join()
print([process.exitcode for process in processes])
"""
    assert run(program, postgres_url) == "[0, 0]\n"
    assert len(drain(store.reader())) == 30 * 200


def test_a_server_that_stops_is_a_store_error() -> None:
    with postgres_server() as url:
        store = open_store(url)
        store.record(make_outcomes("a", 1))
    with pytest.raises(StoreError, match="check that the server runs"):
        store.record(make_outcomes("b", 1))
    store.close()
