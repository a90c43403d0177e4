"""What new rows are worth: fixed pools against a generator, on simulated policies that learn.

    python benchmarks/generator.py --seeds 5
    python benchmarks/generator.py --quick

The lab's three ladders (4,000 tasks; even, easy-heavy, hard-heavy). A generator proposes further
tasks of the same mix. Figures: rollouts to the accuracy that uniform drawing from the fixed pool
ends with, over its budget (null: never, in half of the worlds or more), and the final accuracy;
medians over worlds. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from statistics import median
from typing import Any

from curriculum_env import Curriculum, CurriculumConfig, Row
from curriculum_env.sim.setting import LADDERS, Setting
from curriculum_env.sim.world import Rolled, World

POOL, PROPOSALS, EVERY = 4_000, 60_000, 4

RULE = {"sampler": {"type": "survival"}, "estimator": {"type": "irt"}}
ENTRANTS: dict[str, dict[str, Any]] = {
    "uniform": {"sampler": {"type": "uniform"}},
    "survival": RULE,
    "new rows, unchosen": {
        "sampler": {"type": "uniform"},
        "generate": {"share": 1.0, "candidates": 1},
    },
    "new rows, beta": {**RULE, "estimator": {"type": "beta"}, "generate": {"share": 1.0}},
    "new rows, irt": {**RULE, "generate": {"share": 1.0}},
    "half new rows, irt": {**RULE, "generate": {"share": 0.5}},
}


@dataclass(frozen=True)
class Curve:
    """Rollouts and held-out accuracy as training went on."""

    points: list[tuple[int, float]]
    rho: float
    distinct: int

    @property
    def final(self) -> float:
        return sum(accuracy for _, accuracy in self.points[-3:]) / 3

    def rollouts_to(self, target: float) -> float:
        """The rollouts at which `target` was reached; infinite where it never was."""
        before = self.points[0]
        for point in self.points:
            if point[1] >= target:
                rise = point[1] - before[1]
                part = (target - before[1]) / rise if rise > 0 else 0.0
                return before[0] + part * (point[0] - before[0])
            before = point
        return float("inf")


def train(setting: Setting, seed: int, settings: dict[str, Any]) -> Curve:
    world = World(replace(setting, tasks=POOL + PROPOSALS), seed)
    generator = proposer(world.rows) if "generate" in settings else None
    config = CurriculumConfig.model_validate(
        {"seed": seed, "group_size": setting.group_size, "batch_groups": setting.batch, **settings}
    )
    points, rollouts, flight = [(0, world.accuracy()[0])], 0, deque[Rolled]()
    pool = world.rows[:POOL]
    with Curriculum(pool, config, generator=generator, clock=lambda: 0.0) as curriculum:
        while rollouts < setting.budget:
            flight.append(world.roll(curriculum.ask()))
            if len(flight) <= setting.staleness:
                continue
            group = flight.popleft()
            for outcome in group.outcomes:
                curriculum.tell(outcome)
            world.learn(group)
            rollouts += len(group.reward_G)
            if world.policy.updates >= EVERY * len(points):
                points.append((rollouts, world.accuracy()[0]))
        metrics = curriculum.metrics()
    return Curve(points, metrics["rho"], int(metrics["distinct_tasks"]))


def proposer(rows: list[Row]) -> Callable[[int], Row | None]:
    """The tasks beyond the pool, by their number."""
    return lambda number: rows[POOL + number] if POOL + number < len(rows) else None


def compare(setting: Setting, seeds: int) -> dict[str, dict[str, float | None]]:
    curves = {
        name: [train(setting, seed, settings) for seed in range(seeds)]
        for name, settings in ENTRANTS.items()
    }
    targets = [curve.final for curve in curves["uniform"]]
    found = {}
    for name, runs in curves.items():
        reached = [
            run.rollouts_to(target) / setting.budget
            for run, target in zip(runs, targets, strict=True)
        ]
        needed = median(reached)
        found[name] = {
            "rollouts": round(needed, 3) if isfinite(needed) else None,
            "final": round(median(run.final for run in runs), 4),
            "rho": round(median(run.rho for run in runs), 3),
            "distinct": median(run.distinct for run in runs),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one seed of the even ladder")
    arguments = parser.parse_args()
    ladders = ["ladder-even"] if arguments.quick else list(LADDERS)
    seeds = 1 if arguments.quick else arguments.seeds
    found = {name: compare(LADDERS[name], seeds) for name in ladders}
    for ladder, entrants in found.items():
        print(ladder)
        for name, figures in entrants.items():
            print(f"  {name:20}", "  ".join(f"{key} {value}" for key, value in figures.items()))
    print(json.dumps({"seeds": seeds, "pools": found}))


if __name__ == "__main__":
    main()
