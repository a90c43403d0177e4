from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy

from curriculum_env.errors import OwnerError
from curriculum_env.store import open_store, schema
from curriculum_env.store.owner import STALE_AFTER, Owner, machine, process_start
from tests.store.processes import run, running

HOLD = """
store = open_store(url)
store.acquire()
print("ready", flush=True)
sys.stdin.readline()
"""


def test_another_living_process_is_refused_by_name(shared_url: str) -> None:
    with (
        running(HOLD, shared_url) as owner,
        closing(open_store(shared_url)) as store,
        pytest.raises(OwnerError, match=rf"belongs to process {owner.pid} on \S+ \(for"),
    ):
        store.acquire()


def test_a_killed_owner_is_replaced_at_once(shared_url: str) -> None:
    with running(HOLD, shared_url) as owner, closing(open_store(shared_url)) as store:
        owner.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)  # dead, and still a zombie
        store.acquire()
        store.heartbeat()


def test_an_owner_that_ends_without_closing_is_replaced(shared_url: str) -> None:
    with running(HOLD, shared_url) as owner, closing(open_store(shared_url)) as store:
        owner.communicate("\n", timeout=60)
        store.acquire()


def test_one_of_many_processes_gets_a_dead_owners_lock(shared_url: str) -> None:
    with running(HOLD, shared_url):
        pass
    program = """
import multiprocessing
from curriculum_env.errors import OwnerError
def work():
    store = open_store(url)
    barrier.wait()
    try:
        store.acquire()
        won.value += 1
    except OwnerError:
        pass
    barrier.wait()
context = multiprocessing.get_context("fork")
barrier, won = context.Barrier(6), context.Value("i", 0)
processes = [context.Process(target=work) for _ in range(6)]
for process in processes: process.start()
for process in processes: process.join()
print(won.value)
"""
    assert run(program, shared_url) == "1\n"


FORKED = """
from curriculum_env.errors import OwnerError
store = open_store(url)
store.acquire()
run = store.start_run({})
child = os.fork()
if child == 0:
    draw = lambda: store.append_draws(run, [Draw(0, "u", 1, 1)])
    for call in (store.heartbeat, store.acquire, draw):
        try:
            call()
            print("allowed")
        except OwnerError:
            print("refused")
    store.close()
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
store.heartbeat()
store.append_draws(run, [Draw(0, "u", 1, 1)])
print("still the owner")
"""


def test_a_forked_child_does_not_own_its_parents_store(shared_url: str) -> None:
    assert run(FORKED, shared_url) == "refused\n" * 3 + "still the owner\n"


def test_a_forked_child_does_not_own_its_parents_memory() -> None:
    assert run(FORKED, "memory://shared") == "refused\n" * 3 + "still the owner\n"


DAEMON = """
store = open_store(url)
store.acquire()
if os.fork() == 0:
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.01)
    store.acquire()
    store.heartbeat()
    print(store.start_run({}).id)
"""


def test_a_daemon_takes_over_from_the_parent_that_left(shared_url: str) -> None:
    assert run(DAEMON, shared_url) == "1\n"


def change_owner(url: str, **values: object) -> None:
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.update(schema.owner).values(values))
    engine.dispose()


def test_on_another_machine_the_heartbeat_decides(shared_url: str) -> None:
    with closing(open_store(shared_url)) as first, closing(open_store(shared_url)) as second:
        first.acquire()
        change_owner(shared_url, machine="elsewhere", host="node-7")
        with pytest.raises(OwnerError, match=r"on node-7"):
            second.acquire()
        change_owner(shared_url, heartbeat=schema.owner.c.heartbeat - STALE_AFTER - 1)
        second.acquire()
        with pytest.raises(OwnerError, match="does not own"):
            first.heartbeat()


def test_a_heartbeat_keeps_the_lock(shared_url: str) -> None:
    with closing(open_store(shared_url)) as first, closing(open_store(shared_url)) as second:
        first.acquire()
        stale = schema.owner.c.heartbeat - STALE_AFTER - 1
        change_owner(shared_url, machine="elsewhere", heartbeat=stale)
        first.heartbeat()
        with pytest.raises(OwnerError):
            second.acquire()


@pytest.fixture
def claim(sqlite_url: str) -> Callable[[], Owner]:
    store = open_store(sqlite_url)
    return lambda: Owner.claim(store, 1000.0)


def test_a_number_given_to_another_process_does_not_revive_an_owner(
    claim: Callable[[], Owner],
) -> None:
    owner = claim()
    assert owner.alive(1e9)
    assert not replace(owner, process_start="another time").alive(1000.0)


def test_process_start() -> None:
    assert process_start(os.getpid()) == process_start(os.getpid()) != process_start(1)
    assert process_start(2**22 + 1) is None


def test_a_machine_without_proc_asks_ps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda self: False)
    machine.cache_clear()
    try:
        assert process_start(os.getpid())
        assert process_start(2**22 + 1) is None
        assert machine() == os.uname().nodename
    finally:
        machine.cache_clear()
