"""An offline estimate against a scripted server whose true pass rates are known.

    python benchmarks/estimate.py --tasks 1000

One JSON line: `coverage` is the share of the 95% intervals that hold the task's true rate.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from curriculum_env.pool.estimate import (
    Asking,
    ChatPlayer,
    Depth,
    EstimateSession,
    Pace,
    Settings,
    pass_rate_interval,
)
from curriculum_env.rubrics.exact import exact_match
from curriculum_env.testing.policy import ScriptedPolicy, spawn_policy
from curriculum_env.types import FloatArray, Row

SHAPES = {"uniform": (1.0, 1.0), "extreme": (0.3, 0.3), "middle": (3.0, 3.0), "hard": (0.5, 2.0)}
"""Beta distributions that the true rates are drawn from."""


def coins(rates: FloatArray) -> list[Row]:
    """Tasks that the scripted server solves at these rates."""
    return [
        Row(f"coin-{i}", {"prompt": f"Toss coin {i}. [p={p:.6f}]", "answer": "right"})
        for i, p in enumerate(rates)
    ]


async def grade(row: Row, reply: str) -> float:
    """Right or wrong."""
    return float(exact_match(row.data["answer"], reply))


async def estimate(session: EstimateSession, url: str) -> None:
    """Play the session against the server."""
    pace = Pace()
    async with ChatPlayer(Asking("scripted"), url, "none", pace) as player:
        await session.prepare(player, grade, lambda status: None, pace).run()


def measure(shape: str, tasks: int, depth: Depth, seed: int) -> dict[str, object]:
    """One estimate of `tasks` coins, and how well its intervals hold the true rates."""
    rates = np.random.default_rng(seed).beta(*SHAPES[shape], tasks).round(6)
    with tempfile.TemporaryDirectory() as folder, spawn_policy(ScriptedPolicy(seed)) as url:
        settings = Settings(depth, concurrency=32)
        session = EstimateSession(coins(rates), Path(folder), {"model": "scripted"}, settings,
                                  resume=False)  # fmt: skip
        began = time.perf_counter()
        with closing(session):
            asyncio.run(estimate(session, url))
            seconds = time.perf_counter() - began
            found = session.found
    rollouts = int(found.attempts_N.sum())
    low, high = pass_rate_interval(found.passes_N, found.attempts_N.astype(np.float64))
    return {
        "rates": shape,
        "tasks": tasks,
        "k": depth.k,
        "max_k": depth.max_k,
        "coverage": round(float(np.mean((low <= rates) & (rates <= high))), 4),
        "width": round(float(np.mean(high - low)), 3),
        "rollouts": rollouts,
        "seconds": round(seconds, 1),
        "rollouts_per_s": round(rollouts / seconds),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("-k", type=int, default=8)
    parser.add_argument("--max-k", type=int, default=None)
    parser.add_argument("--width", type=float, default=0.4)
    parser.add_argument("--rates", choices=SHAPES, default="uniform")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="100 tasks")
    options = parser.parse_args(arguments)
    tasks = 100 if options.quick else options.tasks
    depth = Depth(options.k, options.max_k or options.k, options.width)
    print(json.dumps(measure(options.rates, tasks, depth, options.seed)))


if __name__ == "__main__":
    main()
