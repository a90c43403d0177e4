"""What the curriculum costs: rollouts per second through the env server, with and without it.

The same tasks, graders and scripted policy are served twice; blocks of rollouts alternate
between the two, in the order with, without, without, with, so that both see the same machine.
`ratio` is the median over such rounds of the speed with / without, `ratio_low` and `ratio_high`
its 95% bootstrap interval. The last line is one JSON object.

    python benchmarks/overhead.py [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import TypeAlias

import numpy as np
import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import Orchestrator, orchestrator
from curriculum_env.testing.policy import spawn_policy
from curriculum_env.testing.serving import env_config, env_server

GROUPS_PER_BLOCK = 16
WARM_UP_BLOCKS = 2

Side: TypeAlias = tuple[Orchestrator, Iterator[vf.Task]]


async def compare(rounds: int, with_it: vf.EnvConfig, without: vf.EnvConfig) -> list[float]:
    """The ratio of each round of four blocks."""
    async with AsyncExitStack() as stack:
        sides = []
        with ExitStack() as processes:
            url = processes.enter_context(spawn_policy())
            for config in (with_it, without):
                server = processes.enter_context(env_server(config))
                trainer = await stack.enter_async_context(orchestrator(server.address, url))
                sides.append((trainer, _endless(config)))
            for trainer, tasks in sides * WARM_UP_BLOCKS:
                await block(trainer, tasks)
            return [await _round(*sides) for _ in range(rounds)]


async def _round(with_it: Side, without: Side) -> float:
    seconds = [await block(*side) for side in (with_it, without, without, with_it)]
    return (seconds[1] + seconds[2]) / (seconds[0] + seconds[3])


async def block(trainer: Orchestrator, tasks: Iterator[vf.Task]) -> float:
    """The seconds one block of groups takes."""
    begun = time.perf_counter()
    await trainer.play(tasks, GROUPS_PER_BLOCK)
    return time.perf_counter() - begun


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
    rounds = 5 if parser.parse_args().quick else 20
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{Path(folder) / 'curriculum.db'}"
        with_it, without = env_config("coins", task={"store": store}), env_config("plain-coins")
        ratios = asyncio.run(compare(rounds, with_it, without))
    print("rounds:", " ".join(f"{ratio:.3f}" for ratio in ratios))
    ratio, low, high = interval(ratios)
    figures = {"ratio": ratio, "ratio_low": low, "ratio_high": high}
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
