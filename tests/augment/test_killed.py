"""Client and service are killed at random points, over and over."""

from __future__ import annotations

import asyncio
import multiprocessing as mp
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.augment.policy import EVENT
from curriculum_env.store import Store, open_store
from curriculum_env.testing.augmenting import ScriptedProposer
from curriculum_env.testing.policy import serve_policy
from tests.augment.life import CONCURRENCY, LEASE, draw, make, opened, served
from tests.augment.making import other_numbers, policy

TRIALS = int(os.environ.get("CURRICULUM_KILL_TRIALS", "4"))

lives = mp.get_context("forkserver")


def begin(target: Callable[..., None], *arguments: str) -> Any:
    life = lives.Process(target=target, args=arguments)
    life.start()
    return life


def kill(life: Any) -> None:
    assert life.is_alive()
    os.kill(life.pid, signal.SIGKILL)
    life.join()


def made(store: Store) -> set[int]:
    states = ("accepted", "inserted")
    return {item.id for item in store.queue.items() if item.state in states}


def grows(store: Store, before: int) -> None:
    """Wait until something more was made."""
    until = time.monotonic() + 60.0
    while len(made(store)) <= before:
        assert time.monotonic() < until, store.queue.counts()
        time.sleep(0.02)


@pytest.mark.timeout(900)
def test_no_variant_is_lost_none_is_there_twice_and_draws_come_back(tmp_path: Path) -> None:
    """`CURRICULUM_KILL_TRIALS=50` for the full count."""
    url, moments, seen = f"sqlite:///{tmp_path}/c.db", random.Random(11), set[int]()
    lives.set_forkserver_preload(["tests.augment.life"])
    proposer = ScriptedProposer(vary=other_numbers)
    services = 1
    with serve_policy(proposer) as at, closing(open_store(url)) as store:
        store.log_event(EVENT, policy(at).event())
        client, service = begin(draw, url, str(tmp_path)), begin(make, url)
        for trial in range(TRIALS):
            grows(store, len(seen))
            time.sleep(moments.uniform(0.0, 0.6))
            if trial % 2:
                kill(client)
                client = begin(draw, url, str(tmp_path))
            if not trial % 2 or trial % 5 == 4:
                kill(service)
                services += 1
                service = begin(make, url)
            seen |= made(store)
        kill(client)
        kill(service)
        time.sleep(LEASE)
        asyncio.run(served(store).drain())
        check_paid(store, len(proposer.requests), services)
    check_pool(url, seen)
    check_diary(url, tmp_path / "drawn")


def check_paid(store: Store, calls: int, services: int) -> None:
    """What was paid for was kept, but for what was under way at a kill."""
    kept = sum(item.spent.requests for item in store.queue.items())
    assert kept <= calls <= kept + services * CONCURRENCY
    assert store.queue.open_count() == 0
    assert max(item.spent.requests for item in store.queue.items()) == 1


def check_pool(url: str, seen: set[int]) -> None:
    """The next life has each accepted variant once."""
    with opened(url) as curriculum:
        for _ in range(len(list(curriculum.store.draws()))):
            curriculum.ask()
        while curriculum.store.queue.accepted():
            curriculum.sync(5.0)
            curriculum.ask()
        items = list(curriculum.store.queue.items())
        rows = Counter(row.uid for row in curriculum.rows)
        variants = {row.uid for row in curriculum.rows if row.parent}
    inserted = [item for item in items if item.state == "inserted"]
    assert max(rows.values()) == 1
    assert seen <= {item.id for item in inserted}
    assert Counter(item.child.uid for item in inserted if item.child) == Counter(variants)
    assert len(variants) >= TRIALS


def check_diary(url: str, diary: Path) -> None:
    """What was handed out is what the log says."""
    with closing(open_store(url)) as store:
        logged = {draw.number: draw.uid for draw in store.draws()}
    lines = [line.split() for line in diary.read_text().splitlines()]
    assert all(logged[int(number)] == uid for number, uid in lines)
    assert {number for number, _ in lines} >= {str(number) for number in range(10)}
