"""The service in a thread beside a curriculum."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from curriculum_env import Curriculum, Outcome, Row
from curriculum_env.augment.build import build_service
from curriculum_env.augment.policy import EVENT
from curriculum_env.augment.thread import ServiceThread
from curriculum_env.store import open_store
from curriculum_env.testing.augmenting import ScriptedProposer
from curriculum_env.testing.policy import Reply, serve_policy
from tests.augment.making import other_numbers, policy, pool
from tests.augment.serving import Solved, said, serving, settings


@pytest.mark.parametrize("place", ["memory", "sqlite"])
def test_a_thread_makes_variants_while_tasks_are_drawn(place: str, tmp_path: Path) -> None:
    url = "memory://beside" if place == "memory" else f"sqlite:///{tmp_path}/c.db"
    rows, hooks = pool(16), Solved()
    proposer = ScriptedProposer(vary=other_numbers)
    with serve_policy(proposer) as at, Curriculum(rows, settings(capacity=8), url) as curriculum:
        curriculum.store.log_event(EVENT, policy(at).event())
        thread = ServiceThread(
            url, lambda store: build_service(store, curriculum.config.augment, hooks)
        )
        until = time.monotonic() + 30.0
        while curriculum.metrics()["variants"] < 8 and time.monotonic() < until:
            draw = curriculum.ask()
            for i, reward in enumerate((0.0, 1.0, 0.0, 1.0)):
                curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}-{i}", reward))
            time.sleep(0.01)
        thread.stop()
        assert not thread.alive
        drawn = {curriculum.ask().uid for _ in range(60)}
        curriculum.sync(5.0)
        made = {row.uid for row in curriculum.rows if row.parent}
        assert len(made) == 8
        assert drawn & made
        assert curriculum.store.queue.counts().states["inserted"] == 8


def test_a_service_that_cannot_begin_says_so(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Solved):
        def augment_text(self, row: Row) -> str:
            raise RuntimeError("scripted")

    rows = pool(3)
    with closing(open_store("memory://")) as store:
        config = settings().augment
        thread = ServiceThread(
            store, lambda _: build_service(store, config, Broken(), pool=lambda: rows)
        )
        thread.join(10.0)
        assert said(store)[-1] == ("stopped", "RuntimeError: scripted")
    assert "no more variants are made" in caplog.text


def test_stopping_gives_back_what_is_begun() -> None:
    class Late(ScriptedProposer):
        def respond(self, request: dict[str, Any]) -> Reply:
            self.requests.append(request)
            return Reply(200, "{}", delay=20.0)

    proposer = Late()
    with serving("memory://late", pool(3), Solved(), proposer=proposer) as (store, build, _):
        thread = ServiceThread(store, lambda _: build())
        until = time.monotonic() + 10.0
        while not proposer.requests and time.monotonic() < until:
            time.sleep(0.02)
        begun = time.monotonic()
        thread.stop()
        assert time.monotonic() - begun < 4.0
        assert not thread.alive
        assert len(store.queue.claim("next", 9, 60.0)) == 3
        assert said(store)[-1] == ("stopped", "")


SCRIPT = """
import itertools, sys, time
import verifiers.v1 as vf
from curriculum_env import Outcome
from curriculum_env.augment.policy import EVENT, Policy
from curriculum_env.testing.serving import env_config

url, at = sys.argv[1:]
curriculum = {"group_size": 2, "augment": {"enabled": True}}
config = env_config("coins", task={"store": url}, count=50, writing=9.0, curriculum=curriculum)
taskset = vf.load_taskset(config.taskset)
taskset.curriculum.store.log_event(EVENT, Policy({"base_url": at}, "scripted").event())
queue = taskset.curriculum.store.queue
for task in itertools.islice(taskset, 200):
    place = task.data.curriculum
    for i in range(2):
        taskset.curriculum.tell(Outcome(place.draw, place.uid, f"{place.draw}-{i}", i))
    if any(item.owner for item in queue.items()):
        break
    time.sleep(0.1)
else:
    raise SystemExit("nothing was begun")
"""


def test_a_process_that_just_ends_gives_back_what_is_begun(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/c.db"
    with serve_policy() as at:
        ended = subprocess.run(
            [sys.executable, "-c", SCRIPT, url, at], capture_output=True, text=True, timeout=100
        )
    assert (ended.returncode, ended.stderr) == (0, "")
    with closing(open_store(url)) as store:
        assert said(store)[-1] == ("stopped", "")
        begun = [item.id for item in store.queue.items()]
        assert begun
        assert [item.id for item in store.queue.claim("next", 99, 60.0)] == begun
