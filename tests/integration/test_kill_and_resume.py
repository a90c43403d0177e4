"""The orchestrator is killed at random points, over and over, while its workers live on."""

from __future__ import annotations

import functools
import multiprocessing as mp
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import verifiers.v1 as vf

from curriculum_env.store import open_store
from curriculum_env.testing.policy import spawn_policy
from curriculum_env.testing.serving import env_config, env_server
from tests.adapters.playing import rows_in
from tests.integration.orchestrator_life import Diary, live

TRIALS = int(os.environ.get("CURRICULUM_KILL_TRIALS", "10"))


@pytest.mark.timeout(600)
def test_nothing_is_lost_or_counted_twice_and_draws_come_back(tmp_path: Path, shared: str) -> None:
    """`CURRICULUM_KILL_TRIALS=50` for the full count."""
    settings = {"count": 50, "task": {"store": shared}, "curriculum": {"group_size": 4}}
    diary, moments = Diary(str(tmp_path)), random.Random(7)
    lives = mp.get_context("forkserver")
    lives.set_forkserver_preload(["tests.integration.orchestrator_life"])
    with spawn_policy() as policy, env_server(env_config("coins", **settings)) as server:
        for _ in range(TRIALS):
            born = diary.drawn.stat().st_size if diary.drawn.exists() else 0
            orchestrator = lives.Process(
                target=live, args=(str(tmp_path), server.address, policy, settings)
            )
            orchestrator.start()
            wait_for(functools.partial(has_drawn, diary, born), 60.0)
            time.sleep(moments.uniform(0.0, 1.0))
            assert orchestrator.is_alive()
            assert orchestrator.pid is not None
            os.kill(orchestrator.pid, signal.SIGKILL)
            orchestrator.join()
        wait_for(lambda: settled(shared), 60.0)
    assert not (tmp_path / "mismatches").exists()
    recorded = [row.rollout_id for row in rows_in(shared)]
    assert len(recorded) == len(set(recorded))
    assert diary.acknowledgements() <= set(recorded)
    assert len(diary.acknowledgements()) >= 4 * TRIALS
    check_belief(shared, settings, len(recorded))


def check_belief(shared: str, settings: dict[str, object], recorded: int) -> None:
    """The next life learns from each outcome once."""
    taskset = vf.load_taskset(env_config("coins", **settings).taskset)
    taskset.curriculum.sync(5.0)
    assert taskset.curriculum.metrics()["outcomes"] == recorded
    taskset.close()


def has_drawn(diary: Diary, size: int) -> bool:
    return diary.drawn.exists() and diary.drawn.stat().st_size > size


def settled(shared: str) -> bool:
    """Whether no outcome has come in for half a second."""
    store = open_store(shared)
    before = store.counts()["outcomes"]
    time.sleep(0.5)
    after = store.counts()["outcomes"]
    store.close()
    return before == after


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
