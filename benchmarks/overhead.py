"""What the curriculum costs: rollouts per second through the env server, with and without it.

The same tasks, graders and scripted policy are served twice; blocks of rollouts alternate
between the two (the order within a pair alternates as well), so that both see the same machine.
`ratio` is the median over pairs of (with / without), `ratio_low` and `ratio_high` its 95%
bootstrap interval. The last line is one JSON object.

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

import numpy as np
import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import Orchestrator, orchestrator
from curriculum_env.testing.policy import spawn_policy
from curriculum_env.testing.serving import env_config, env_server

GROUPS_PER_BLOCK = 24
WARM_UP_BLOCKS = 2


async def compare(pairs: int, with_it: vf.EnvConfig, without: vf.EnvConfig) -> list[float]:
    """The ratio of each pair of blocks."""
    async with AsyncExitStack() as stack:
        sides = []
        with ExitStack() as processes:
            url = processes.enter_context(spawn_policy())
            for config in (with_it, without):
                server = processes.enter_context(env_server(config))
                trainer = await stack.enter_async_context(orchestrator(server.address, url))
                sides.append((trainer, _endless(config)))
            for trainer, tasks in sides * WARM_UP_BLOCKS:
                await rollouts_per_s(trainer, tasks)
            return [await _pair(sides, flip=bool(index % 2)) for index in range(pairs)]


async def _pair(sides: list[tuple[Orchestrator, Iterator[vf.Task]]], flip: bool) -> float:
    speed = {}
    for side in (1, 0) if flip else (0, 1):
        speed[side] = await rollouts_per_s(*sides[side])
    return speed[0] / speed[1]


async def rollouts_per_s(trainer: Orchestrator, tasks: Iterator[vf.Task]) -> float:
    """The speed of one block."""
    begun = time.perf_counter()
    groups = await trainer.play(tasks, GROUPS_PER_BLOCK)
    return sum(len(group.episodes) for group in groups) / (time.perf_counter() - begun)


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
    parser.add_argument("--quick", action="store_true", help="6 pairs of blocks instead of 24")
    pairs = 6 if parser.parse_args().quick else 24
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{Path(folder) / 'curriculum.db'}"
        with_it, without = env_config("coins", task={"store": store}), env_config("plain-coins")
        ratios = asyncio.run(compare(pairs, with_it, without))
    print("pairs:", " ".join(f"{ratio:.3f}" for ratio in ratios))
    ratio, low, high = interval(ratios)
    figures = {"ratio": ratio, "ratio_low": low, "ratio_high": high}
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
