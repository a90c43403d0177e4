"""The loop, live and across processes: do the rewards of real rollouts find the live tasks?

Two env workers, eight groups of eight rollouts in flight, one `next()` per group, a scripted
policy whose pass rate on each of 2,000 tasks is known. `survival` with `pick = "top"` on `beta`
beliefs against `uniform`, on the same tasks. The last line is one JSON object.

    python benchmarks/live.py [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import PlayedGroup, orchestrator
from curriculum_env.testing.policy import spawn_policy
from curriculum_env.testing.serving import env_config, env_server

SURVIVAL = {
    "pick": "top",
    "novelty": 1.0,
    "sampler": {"type": "survival"},
    "estimator": {"type": "beta"},
}
UNIFORM = {"sampler": {"type": "uniform"}}


@dataclass(frozen=True)
class Live:
    """Figures over the second half of the draws: rho (share of groups with both outcomes) never
    stands without the number of distinct tasks."""

    rho: float
    distinct_tasks: int
    draws: int
    rollouts_per_s: float


def run_live(draws: int, curriculum: dict[str, Any], workers: int = 2, **coins: Any) -> Live:
    """Play `draws` groups and judge the second half."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{Path(folder) / 'curriculum.db'}"
        config = env_config("coins", task={"store": store}, curriculum=curriculum, **coins)
        with spawn_policy() as url, env_server(config, workers) as server:
            begun = time.perf_counter()
            groups = asyncio.run(_play(config, server.address, url, draws))
            seconds = time.perf_counter() - begun
    rollouts = sum(len(group.episodes) for group in groups)
    half = groups[draws // 2 :]
    rho = sum(group.alive for group in half) / len(half)
    return Live(rho, len({group.task.key for group in half}), draws, rollouts / seconds)


async def _play(config: vf.EnvConfig, address: str, url: str, draws: int) -> list[PlayedGroup]:
    taskset = vf.load_taskset(config.taskset)
    try:
        async with orchestrator(address, url) as trainer:
            return await trainer.play(itertools.islice(iter(taskset), draws), draws)
    finally:
        taskset.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the tasks and draws")
    scale = 5 if parser.parse_args().quick else 1
    coins = {"count": 2000 // scale}
    survival = run_live(2000 // scale, {**SURVIVAL, "cooldown": 430 // scale}, **coins)
    print(f"survival: {survival}")
    uniform = run_live(2000 // scale, UNIFORM, **coins)
    print(f"uniform:  {uniform}")
    named = {"survival": asdict(survival), "uniform": asdict(uniform)}
    figures = {f"{rule}_{key}": value for rule, by in named.items() for key, value in by.items()}
    print(json.dumps({"verifiers": version("verifiers"), **figures}))


if __name__ == "__main__":
    main()
