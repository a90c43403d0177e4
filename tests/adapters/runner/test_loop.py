from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from curriculum_env.adapters.verifiers.runner import Loop
from curriculum_env.adapters.verifiers.runner.quota import Count


@dataclass
class World:
    """Tasks that are numbers, rollouts that end when told to, and what the loop reported."""

    finished: dict[int, int] = field(default_factory=dict)
    failing: set[int] = field(default_factory=set)
    drawn_tasks: list[int] = field(default_factory=list)
    ended_tasks: list[int] = field(default_factory=list)
    lost_tasks: list[int] = field(default_factory=list)
    running: list[asyncio.Event] = field(default_factory=list)
    most_running: int = 0
    cancelled: int = 0

    def tasks(self) -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    async def execute(self, task: int) -> str:
        end = asyncio.Event()
        self.running.append(end)
        self.most_running = max(self.most_running, len(self.running))
        try:
            await end.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running.remove(end)
        if task in self.failing:
            raise RuntimeError("scripted")
        return f"episode of {task}"

    def drawn(self, task: int) -> int:
        self.drawn_tasks.append(task)
        return self.finished.get(task, 0)

    async def ended(self, task: int, episode: str) -> None:
        assert episode == f"episode of {task}"
        self.ended_tasks.append(task)

    def lost(self, task: int, error: Exception) -> None:
        self.lost_tasks.append(task)

    async def end(self, rollouts: int) -> None:
        """Let so many of the rollouts in flight end, the oldest first."""
        for event in self.running[:rollouts]:
            event.set()
        await settle()

    async def end_all(self, loop: asyncio.Task[None]) -> None:
        for _ in range(1000):
            if loop.done():
                return
            await self.end(len(self.running))
        raise AssertionError("the loop does not end")


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def loop(world: World, groups: int = 3, group_size: int = 4, concurrency: int = 4) -> Loop:
    return Loop(world.tasks(), world.execute, world, Count(groups), group_size, concurrency)


async def test_a_task_is_drawn_only_when_a_slot_is_free_for_it() -> None:
    world = World()
    running = asyncio.create_task(loop(world, concurrency=4).run())
    await settle()
    assert (world.drawn_tasks, len(world.running)) == ([0], 4)
    await world.end(1)
    assert (world.drawn_tasks, len(world.running)) == ([0, 1], 4)
    await world.end(3)
    assert (world.drawn_tasks, len(world.running)) == ([0, 1], 4)
    await world.end_all(running)
    assert world.drawn_tasks == [0, 1, 2]
    assert sorted(world.ended_tasks) == [0] * 4 + [1] * 4 + [2] * 4


@pytest.mark.parametrize("concurrency", [1, 3, 5, 100])
async def test_concurrency_counts_rollouts(concurrency: int) -> None:
    world = World()
    running = asyncio.create_task(loop(world, concurrency=concurrency).run())
    await world.end_all(running)
    assert world.most_running == min(concurrency, 12)
    assert len(world.ended_tasks) == 12


async def test_finished_rollouts_are_not_run_again() -> None:
    world = World(finished={0: 4, 1: 3})
    running = asyncio.create_task(loop(world).run())
    await world.end_all(running)
    assert world.drawn_tasks == [0, 1, 2]
    assert sorted(world.ended_tasks) == [1] + [2] * 4


async def test_stop_lets_the_rollouts_in_flight_finish() -> None:
    world = World()
    stopped = loop(world, groups=100, concurrency=6)
    running = asyncio.create_task(stopped.run())
    await settle()
    stopped.stop()
    await settle()
    assert not running.done()
    await world.end_all(running)
    assert len(world.ended_tasks) == 6
    assert world.cancelled == 0


async def test_a_loop_stopped_before_it_runs_draws_nothing() -> None:
    world = World()
    stopped = loop(world)
    stopped.stop()
    await stopped.run()
    assert world.drawn_tasks == []


async def test_cancelling_waits_for_the_rollouts_in_flight() -> None:
    world = World()
    running = asyncio.create_task(loop(world, concurrency=6).run())
    await settle()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (world.cancelled, world.running, world.ended_tasks) == (6, [], [])


async def test_a_rollout_that_cannot_be_run_is_reported_and_the_loop_goes_on() -> None:
    world = World(failing={1})
    running = asyncio.create_task(loop(world).run())
    await world.end_all(running)
    assert world.lost_tasks == [1] * 4
    assert sorted(world.ended_tasks) == [0] * 4 + [2] * 4


async def test_tasks_that_run_out_end_the_loop() -> None:
    world = World()
    finite: Any = iter([0, 1])
    short = Loop(finite, world.execute, world, Count(10), group_size=2, concurrency=4)
    running = asyncio.create_task(short.run())
    await world.end_all(running)
    assert sorted(world.ended_tasks) == [0, 0, 1, 1]


async def test_an_observer_that_fails_ends_the_loop_with_its_error() -> None:
    class Full(World):
        async def ended(self, task: int, episode: str) -> None:
            raise OSError("no space left on device")

    world = Full()
    running = asyncio.create_task(loop(world).run())
    await settle()
    await world.end(1)
    with pytest.raises(OSError, match="no space"):
        await running
    assert world.cancelled == 3
