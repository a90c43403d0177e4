"""What is left of the rollouts of a worker that is told to stop, or dies."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter

import pytest
import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import orchestrator
from curriculum_env.testing.serving import env_config, env_server
from tests.adapters.playing import drawn, rows_in

PENDING = 4


def coin_task(store: str, uid: str, prompt: str) -> vf.Task:
    env = vf.load_environment(env_config("coins", task={"store": store}, count=1))
    task = drawn(env, "coin-0", draw=3)
    place = task.data.curriculum.model_copy(update={"uid": uid})
    task.data = task.data.model_copy(update={"prompt": prompt, "curriculum": place})
    return task


async def statuses_after(shared: str, policy: str, stop: int | None) -> Counter[tuple[str, str]]:
    """Four rollouts end, four hang; then the worker gets the signal `stop`, or, with None, the
    client gives up. The rows left, as (uid, status)."""
    config = env_config("coins", task={"store": shared}, count=1)
    with env_server(config) as server:
        async with orchestrator(server.address, policy, group_size=PENDING) as trainer:
            await trainer.group(coin_task(shared, "ended", "[p=1.0] ended"))
            hanging = asyncio.create_task(trainer.group(coin_task(shared, "hung", "[delay=60]")))
            await asyncio.sleep(2.0)
            if stop is None:
                hanging.cancel()
            else:
                for pid in server.worker_pids():
                    os.kill(pid, stop)
            await asyncio.wait([hanging], timeout=3.0)
            hanging.cancel()
            await asyncio.gather(hanging, return_exceptions=True)
    return Counter((row.uid, row.status) for row in rows_in(shared))


@pytest.mark.parametrize(
    ("stop", "left"),
    [
        pytest.param(None, {("hung", "cancelled"): PENDING}, id="client cancels"),
        pytest.param(signal.SIGTERM, {("hung", "cancelled"): PENDING}, id="SIGTERM"),
        pytest.param(signal.SIGKILL, {}, id="SIGKILL"),
    ],
)
async def test_rows_of_interrupted_rollouts(
    shared: str, policy: str, stop: int | None, left: dict[tuple[str, str], int]
) -> None:
    rows = await statuses_after(shared, policy, stop)
    assert rows == {("ended", "ok"): PENDING, **left}
