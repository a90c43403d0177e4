"""A stand-in for a trainer's orchestrator: groups in flight over the env server, no training."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import verifiers.v1 as vf
from verifiers.v1.serve import EnvClient

STARTUP_SECONDS = 120.0


@dataclass(frozen=True)
class PlayedGroup:
    """A task and the episodes of its group; an episode that failed to come back is missing."""

    task: vf.Task
    episodes: list[vf.WireEpisode]

    @property
    def rewards_G(self) -> list[float]:
        return [trace.reward for episode in self.episodes for trace in episode.traces if trace.ok]

    @property
    def alive(self) -> bool:
        return len(set(self.rewards_G)) > 1


@dataclass
class Orchestrator:
    """Pulls one task per group, as prime-rl does, and keeps `in_flight` groups going."""

    client: EnvClient
    endpoint: vf.EvalClientConfig
    group_size: int = 8
    in_flight: int = 8

    async def play(self, tasks: Iterator[vf.Task], groups: int) -> list[PlayedGroup]:
        """Play `groups` groups and return them in the order of their draws."""
        drawn: list[asyncio.Task[PlayedGroup]] = []
        free = asyncio.Semaphore(self.in_flight)
        async with asyncio.TaskGroup() as running:
            for _ in range(groups):
                await free.acquire()
                group = running.create_task(self.group(next(tasks)))
                group.add_done_callback(lambda _: free.release())
                drawn.append(group)
        return [group.result() for group in drawn]

    async def group(self, task: vf.Task) -> PlayedGroup:
        """All rollouts of one task."""
        rollouts = (self.rollout(task) for _ in range(self.group_size))
        return PlayedGroup(task, list(await asyncio.gather(*rollouts)))

    async def rollout(self, task: vf.Task) -> vf.WireEpisode:
        """One episode, its task checked as prime-rl checks it.

        Raises:
            ValueError: the worker rebuilt another task than the one dispatched.
        """
        episode = await self.client.run(
            task_data=task.data.model_dump(mode="json"),
            client=self.endpoint,
            model="scripted",
            sampling=vf.SamplingConfig(),
        )
        if (episode.task.key, episode.task.hash) != (task.key, task.hash):
            raise ValueError(f"dispatched {task.key} {task.hash}, got {episode.task}")
        return episode


@asynccontextmanager
async def orchestrator(address: str, base_url: str, **settings: int) -> AsyncIterator[Orchestrator]:
    """Connected to the env server at `address`, with the policy at `base_url`."""
    client = EnvClient(address)
    try:
        await client.wait_for_server_startup(timeout=STARTUP_SECONDS)
        yield Orchestrator(client, vf.EvalClientConfig(base_url=base_url), **settings)
    finally:
        await client.close()
