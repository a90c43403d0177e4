"""The process is killed over and over: what was paid for is kept, and never paid for again."""

from __future__ import annotations

import json
import multiprocessing as mp
import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.pool.estimate.life import K, live

KILLS = 10
TASKS = 120

Rollouts = dict[int, tuple[str, str, float]]


def acknowledged(folder: Path) -> Rollouts:
    """The graded rollouts in a copy of the journal, as the dead process left it."""
    copies = folder.parent / "copy"
    copies.mkdir(exist_ok=True)
    for name in ("rollouts.db", "rollouts.db-wal"):
        if (folder / name).exists():
            (copies / name).write_bytes((folder / name).read_bytes())
    with sqlite3.connect(copies / "rollouts.db") as db:
        query = "SELECT id, uid, reply, success FROM rollouts WHERE status = 'graded'"
        kept = {number: tuple(rest) for number, *rest in db.execute(query)}
    db.close()
    for path in copies.iterdir():
        path.unlink()
    return kept


def wait_until(policy: ScriptedPolicy, calls: int) -> None:
    deadline = time.monotonic() + 60.0
    while policy.calls < calls:
        assert time.monotonic() < deadline, "nothing was asked"
        time.sleep(0.005)


@pytest.mark.timeout(240)
def test_ten_kills_lose_nothing_and_repay_nothing(tmp_path: Path) -> None:
    folder, moments = tmp_path / "estimate", random.Random(3)
    lives = mp.get_context("forkserver")
    lives.set_forkserver_preload(["tests.pool.estimate.life", "openai"])
    policy = ScriptedPolicy(seed=5)
    kept: Rollouts = {}
    with serve_policy(policy) as url:
        for _ in range(KILLS):
            before = policy.calls
            process = lives.Process(target=live, args=(str(folder), url, TASKS))
            process.start()
            wait_until(policy, before + 12)
            time.sleep(moments.uniform(0.0, 0.06))
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            assert process.exitcode == -signal.SIGKILL
            now = acknowledged(folder)
            assert kept.items() <= now.items()
            kept = now
        assert 0 < len(kept) < K * TASKS
        process = lives.Process(target=live, args=(str(folder), url, TASKS))
        process.start()
        process.join()
    assert process.exitcode == 0
    now = acknowledged(folder)
    assert kept.items() <= now.items()
    by_task = [uid for uid, _, _ in now.values()]
    assert all(by_task.count(f"coin-{i}") == K for i in range(TASKS))
    spent = json.loads((folder / "report.json").read_text())["spent"]
    assert spent["graded"] == K * TASKS
    assert 0 < spent["lost"] <= 8 * KILLS
    assert K * TASKS <= policy.calls <= K * TASKS + spent["lost"]
