"""Playing rollouts in this process, and reading what they left in the store."""

from __future__ import annotations

import asyncio
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import resolve_env_config

from curriculum_env.adapters.verifiers import Placement
from curriculum_env.recorder import recorder_for
from curriculum_env.store import open_store
from curriculum_env.types import Outcome

EPISODES_AT_ONCE = 16


def env_of(taskset: str, store: str | None = None, env: Any = None, **settings: Any) -> vf.Env[Any]:
    """A test taskset's Env; `settings` are the taskset's, `env` those of the Env."""
    config = {"taskset": {"id": taskset, "task": {"store": store}, **settings}, **(env or {})}
    return vf.load_environment(resolve_env_config(config))


def drawn(env: vf.Env[Any], uid: str, draw: int | None = 0) -> vf.Task:
    """The task of a row as the taskset would hand it out, without opening a curriculum."""
    row = next(row for row in env.taskset.rows() if row.uid == uid)
    task = env.taskset.task(row)
    task.data = task.data.model_copy(update={"curriculum": Placement(uid=uid, draw=draw)})
    return task


async def play(
    env: vf.Env[Any], tasks: list[vf.Task], url: str, cancel_after: float | None = None
) -> list[vf.Episode]:
    """One episode per task; with `cancel_after`, each is cancelled after so many seconds."""
    ctx = vf.ModelContext(client=vf.EvalClientConfig(base_url=url), model="scripted")
    gate = asyncio.Semaphore(EPISODES_AT_ONCE)

    async def episode(task: vf.Task) -> vf.Episode:
        (slot,) = env.slots(task)
        running = asyncio.create_task(env.run_slot(slot, ctx, gate))
        if cancel_after is not None:
            asyncio.get_running_loop().call_later(cancel_after, running.cancel)
        return await running

    async with env.serving():
        played = await asyncio.gather(*map(episode, tasks), return_exceptions=True)
    await asyncio.sleep(0)
    return [one for one in played if not isinstance(one, BaseException)]


def rows_in(url: str) -> list[Outcome]:
    """Every outcome of the store, in order, once this process has written what it queued."""
    recorder_for(url).flush()
    store = open_store(url)
    try:
        return store.reader().read()
    finally:
        store.close()
