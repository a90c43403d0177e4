"""What the curriculum costs: rollouts per second through the env server, with and without it.

The same tasks, graders and scripted policy are served twice; blocks of rollouts alternate
between the two, in the order with, without, without, with, so that both see the same machine.
`ratio` is the median over such rounds of the speed with / without, `ratio_low` and `ratio_high`
its 95% bootstrap interval. The last line is one JSON object.

`cpu_ratio` and its interval compare the processor time of client and env server instead, which a
busy machine disturbs less. With `--cpu` the line before the last says what a rollout took of it, in
microseconds: the medians over the blocks of each side.

    python benchmarks/overhead.py [--quick] [--cpu]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import Orchestrator, orchestrator
from curriculum_env.testing.policy import spawn_policy
from curriculum_env.testing.serving import env_config, env_server

GROUPS_PER_BLOCK = 16
WARM_UP_BLOCKS = 2


class Side(NamedTuple):
    """One of the two servers, with its trainer and its tasks."""

    trainer: Orchestrator
    tasks: Iterator[vf.Task]
    processes: frozenset[int]


class Times(NamedTuple):
    """Of one block of groups, in seconds: by the clock, and of the processors."""

    wall: float
    client: float
    server: float

    @property
    def cpu(self) -> float:
        return self.client + self.server


Round: TypeAlias = list[Times]
"""With, without, without, with."""


async def compare(rounds: int, with_it: vf.EnvConfig, without: vf.EnvConfig) -> list[Round]:
    """The times of each round of four blocks."""
    async with AsyncExitStack() as stack:
        sides = []
        with ExitStack() as processes:
            url = processes.enter_context(spawn_policy())
            for config in (with_it, without):
                server = processes.enter_context(env_server(config))
                trainer = await stack.enter_async_context(orchestrator(server.address, url))
                pids = frozenset((server.pid, *server.worker_pids()))
                sides.append(Side(trainer, _endless(config), pids))
            for side in sides * WARM_UP_BLOCKS:
                await block(side)
            first, second = sides
            order = (first, second, second, first)
            return [[await block(side) for side in order] for _ in range(rounds)]


async def block(side: Side) -> Times:
    """What one block of groups takes."""
    begun, client, server = time.perf_counter(), time.process_time(), _processor(side.processes)
    await side.trainer.play(side.tasks, GROUPS_PER_BLOCK)
    return Times(
        time.perf_counter() - begun,
        time.process_time() - client,
        _processor(side.processes) - server,
    )


def _processor(processes: frozenset[int]) -> float:
    """The processor time that these processes have used so far, by Linux's clock of each."""
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in processes)


def speed(rounds: list[Round], seconds: Callable[[Times], float]) -> list[float]:
    """The speed with / without of each round."""
    times = [[seconds(block) for block in blocks] for blocks in rounds]
    return [(second + third) / (first + fourth) for first, second, third, fourth in times]


def per_rollout(rounds: list[Round]) -> dict[str, float]:
    """Processor time in microseconds."""
    size = GROUPS_PER_BLOCK * 8 / 1e6
    sides = {"with": (0, 3), "without": (1, 2)}
    return {
        f"{part}_us_{name}": float(
            np.median([getattr(blocks[at], part) / size for blocks in rounds for at in places])
        )
        for name, places in sides.items()
        for part in ("client", "server")
    }


def _endless(config: vf.EnvConfig) -> Iterator[vf.Task]:
    taskset = vf.load_taskset(config.taskset)
    return iter(taskset) if type(taskset).INFINITE else itertools.cycle(list(taskset))


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """The median and the ends of its 95% bootstrap interval."""
    random = np.random.default_rng(0)
    resampled = np.median(random.choice(ratios, (10_000, len(ratios))), axis=1)
    low, high = np.quantile(resampled, (0.025, 0.975))
    return float(np.median(ratios)), float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5 rounds of blocks instead of 20")
    parser.add_argument("--cpu", action="store_true", help="say where the processor time went")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{Path(folder) / 'curriculum.db'}"
        with_it, without = env_config("coins", task={"store": store}), env_config("plain-coins")
        rounds = asyncio.run(compare(5 if settings.quick else 20, with_it, without))
    ratios = speed(rounds, attrgetter("wall"))
    print("rounds:", " ".join(f"{ratio:.3f}" for ratio in ratios))
    if settings.cpu:
        print(" ".join(f"{name}={value:.0f}" for name, value in per_rollout(rounds).items()))
    figures: dict[str, float] = {}
    for name, of_rounds in (("", ratios), ("cpu_", speed(rounds, attrgetter("cpu")))):
        ratio, low, high = interval(of_rounds)
        figures |= {f"{name}ratio": ratio, f"{name}ratio_low": low, f"{name}ratio_high": high}
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
