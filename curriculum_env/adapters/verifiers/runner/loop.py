"""The lazy loop: the next task is drawn only when a rollout slot is free for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from curriculum_env.adapters.verifiers.runner.quota import Quota

Execute: TypeAlias = Callable[[Any], Awaitable[Any]]
"""Runs one episode of a verifiers `Task` and returns its `Episode`."""


class Observer(Protocol):
    """Hears what the loop does, in order, on the event loop."""

    def drawn(self, task: Any) -> int:
        """A task was drawn; returns how many of its rollouts are finished already."""

    async def ended(self, task: Any, episode: Any) -> None:
        """One of its rollouts ended, well or not."""

    def lost(self, task: Any, error: Exception) -> None:
        """One of its rollouts could not be run: there is no episode."""


@dataclass(slots=True)
class Loop:
    """Draws tasks by its `quota` and runs `group_size` rollouts of each, `concurrency` at a time.

    `concurrency` counts rollouts, not groups. A group's rollouts start one after the other as
    slots come free; `next(tasks)` is called once for each group, when its first slot is free and
    every rollout of the earlier groups has started.
    """

    tasks: Iterator[Any]
    execute: Execute
    observer: Observer
    quota: Quota
    group_size: int
    concurrency: int
    stopping: bool = False
    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def stop(self) -> None:
        """Start no further rollout; those in flight finish."""
        self.stopping = True

    async def run(self) -> None:
        """Run until every group is finished, the tasks run out, or `stop`.

        Cancelling it cancels the rollouts in flight and waits for them.
        """
        try:
            await self._start_all()
            while self._running:
                await self._one_ends()
        finally:
            for rollout in self._running:
                rollout.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _start_all(self) -> None:
        while await self._wanted():
            task = next(self.tasks, None)
            if task is None:
                return
            for _ in range(self.group_size - self.observer.drawn(task)):
                if not await self._slot():
                    return
                self._running.add(asyncio.create_task(self._rollout(task)))

    async def _wanted(self) -> bool:
        """Wait until a slot is free and another group wanted for it; False once none will be."""
        while await self._slot():
            more = self.quota.draw()
            if more is not None:
                return more
            await self._one_ends()
        return False

    async def _slot(self) -> bool:
        """Wait for a free slot; False once the loop was told to stop."""
        await asyncio.sleep(0)
        while not self.stopping and len(self._running) >= self.concurrency:
            await self._one_ends()
        return not self.stopping

    async def _one_ends(self) -> None:
        done, self._running = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        for rollout in done:
            rollout.result()

    async def _rollout(self, task: Any) -> None:
        try:
            episode = await self.execute(task)
        except Exception as error:
            self.observer.lost(task, error)
        else:
            await self.observer.ended(task, episode)
