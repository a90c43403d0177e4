from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from curriculum_env.adapters.verifiers.runner import Loop
from curriculum_env.adapters.verifiers.runner.quota import Count, RefillConfig, Refilled
from curriculum_env.errors import RefillError
from curriculum_env.gates import Variance
from curriculum_env.types import Outcome

SIZE = 4


@dataclass
class World:
    """Groups whose rewards are all 0 but for those `alive`; rollouts of `failing` are lost."""

    quota: Refilled
    alive: Sequence[bool]
    failing: frozenset[int] = frozenset()
    finished: dict[int, int] = field(default_factory=dict)
    drawn_tasks: list[int] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    count: Counter[int] = field(default_factory=Counter)

    def tasks(self) -> Iterator[int]:
        yield from range(1_000_000)

    async def execute(self, task: int) -> int:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(random.random() / 1e4)
        self.at_once -= 1
        if task in self.failing:
            raise RuntimeError("scripted")
        return task

    def drawn(self, task: int) -> int:
        self.drawn_tasks.append(task)
        self.quota.drawn(task)
        for _ in range(self.finished.get(task, 0)):
            self._end(task, self._reward(task))
        return self.finished.get(task, 0)

    async def ended(self, task: int, episode: Any) -> None:
        self._end(task, self._reward(task))

    def lost(self, task: int, error: Exception) -> None:
        self._end(task, None)

    def _reward(self, task: int) -> float:
        self.count[task] += 1
        return float(self.alive[task % len(self.alive)] and self.count[task] % 2)

    def _end(self, task: int, reward: float | None) -> None:
        status = "error" if reward is None else "ok"
        self.quota.ended(task, [Outcome(task, str(task), "r", reward, status)])  # type: ignore[arg-type]


def refilled(groups: int = 6, **config: Any) -> Refilled:
    return Refilled(Variance(), groups, SIZE, RefillConfig(**config), lambda reward: reward)


async def play(world: World, concurrency: int = 8) -> None:
    await Loop(world.tasks(), world.execute, world, world.quota, SIZE, concurrency).run()


@pytest.mark.parametrize("concurrency", [1, 4, 64])
async def test_it_draws_on_until_enough_live(concurrency: int) -> None:
    world = World(refilled(), alive=[False, True, False])
    await play(world, concurrency)
    assert world.quota.refill.ready
    batch = world.quota.refill.take()
    assert len(batch) == 6
    assert all(number % 3 == 1 for number in batch)
    kept = len(batch) + world.quota.refill.metrics()["carried"]
    assert len(world.drawn_tasks) == kept + world.quota.refill.metrics()["discarded"]
    assert world.most_at_once <= concurrency


async def test_a_pool_that_is_dead_ends() -> None:
    world = World(refilled(rounds=3), alive=[False])
    await play(world)
    assert len(world.drawn_tasks) == 18
    with pytest.raises(RefillError, match="0 of 18 groups"):
        world.quota.refill.take()


@pytest.mark.parametrize("on_cap", ["accept", "stop"])
async def test_too_few_at_the_cap_are_accepted_or_an_error(on_cap: str) -> None:
    world = World(refilled(rounds=2, on_cap=on_cap), alive=[True, False, False, False])
    await play(world)
    if on_cap == "accept":
        assert sorted(world.quota.refill.take()) == [0, 4, 8]
    else:
        with pytest.raises(RefillError, match="3 of 12 groups"):
            world.quota.refill.take()


async def test_groups_without_a_grade_are_lost_not_discarded() -> None:
    world = World(refilled(), alive=[True], failing=frozenset({0, 2}))
    await play(world)
    assert len(world.quota.refill.take()) == 6
    figures = world.quota.refill.metrics()
    assert (figures["lost"], figures["discarded"]) == (2, 0)


async def test_what_is_finished_already_counts() -> None:
    world = World(refilled(), alive=[True], finished=dict.fromkeys(range(5), SIZE) | {5: 2})
    await play(world)
    assert world.drawn_tasks == list(range(6))
    assert sorted(world.quota.refill.take()) == list(range(6))


async def test_stopping_waits_for_no_batch() -> None:
    world = World(refilled(rounds=1000), alive=[False])
    loop = Loop(world.tasks(), world.execute, world, world.quota, SIZE, 8)
    running = asyncio.create_task(loop.run())
    await asyncio.sleep(0.01)
    loop.stop()
    await asyncio.wait_for(running, 5)
    assert not world.quota.refill.ready


def test_so_many_and_no_more() -> None:
    count = Count(3)
    assert [count.draw() for _ in range(5)] == [True, True, True, False, False]
