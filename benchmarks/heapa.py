"""The boundary heaps: what a draw costs, what a refresh of the lineage costs, and whom they draw.

Cost: one `ask` and the `tell` of one rollout (`ask_tell_us`; the goal is 100 µs) and one `ask` with
all 8 (`group_us`), in wall time and in processor time of the thread, with 8 groups in flight and
the store in memory. Three pools: cold rows (no heap is touched), rows scored by an offline
estimate and recycled eight times on the way, and the same where a tenth are variants of others.

Lineage: PathAgg over 100,000 rows under a few roots (`refresh_ms`), what it takes to work out their
shape where one has joined (`forest_ms`), and to find it from the rows first (`related_ms`).

Draws: a policy that does not learn and no variants; pass rates uniform in [0, 1], 5 draws per row.
`mid` is the mean number of draws of a row with a pass rate in [.25, .75], `extreme` of one below .1
or above .9; `living` is the share of groups that are not all alike.

    python benchmarks/heapa.py --tasks 1000000
    python benchmarks/heapa.py --quick

The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections import deque
from statistics import fmean
from typing import Any

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig, Draw, Outcome, Row
from curriculum_env.estimators.families import Families
from curriculum_env.estimators.lineage import Forest, refreshed
from curriculum_env.sim.entrants import PLAIN
from curriculum_env.types import FloatArray

GROUP_SIZE, IN_FLIGHT = 8, 8

HEAPA = {"sampler": {"type": "heapa"}}
RULES: dict[str, dict[str, Any]] = {
    "uniform": {**PLAIN, "sampler": {"type": "uniform"}},
    "ps": {**PLAIN, "sampler": {"type": "ps"}},
    "heapa": {**PLAIN, **HEAPA},
    "heapa, cooldown = 0": {**PLAIN, **HEAPA, "cooldown": 0},
    "heapa, mixed": {**PLAIN, "sampler": {"type": "heapa", "mixed": True}},
    "heapa, archive_max a quarter of the rows": {**PLAIN, **HEAPA},
    "survival": {"sampler": {"type": "survival"}},
    "default": {},
}


class Loop:
    """Draws with groups in flight, whose rollouts pass by chance; times in nanoseconds."""

    def __init__(self, curriculum: Curriculum, pass_rate_N: FloatArray, seed: int) -> None:
        self.curriculum, self.pass_rate_N = curriculum, pass_rate_N
        self.rng = np.random.default_rng([seed, 1])
        self.flight: deque[Draw] = deque()
        self.ask = self.tell = self.ask_cpu = self.tell_cpu = self.draws = 0

    def play(self, draws: int) -> None:
        for _ in range(draws):
            wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
            self.flight.append(self.curriculum.ask())
            self.ask_cpu += time.thread_time_ns() - cpu
            self.ask += time.perf_counter_ns() - wall
            self.draws += 1
            if len(self.flight) >= IN_FLIGHT:
                self._grade(self.flight.popleft())

    def _grade(self, draw: Draw) -> None:
        passed_G = self.rng.random(GROUP_SIZE) < self.pass_rate_N[int(draw.uid, 16)]
        outcomes = [
            Outcome(draw.number, draw.uid, f"{draw.number}.{i}", float(passed))
            for i, passed in enumerate(passed_G)
        ]
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        for outcome in outcomes:
            self.curriculum.tell(outcome)
        self.tell_cpu += time.thread_time_ns() - cpu
        self.tell += time.perf_counter_ns() - wall

    def cost(self) -> dict[str, float]:
        draws_us = self.draws * 1e3
        return {
            "ask_tell_us": (self.ask + self.tell / GROUP_SIZE) / draws_us,
            "ask_tell_cpu_us": (self.ask_cpu + self.tell_cpu / GROUP_SIZE) / draws_us,
            "group_us": (self.ask + self.tell) / draws_us,
            "group_cpu_us": (self.ask_cpu + self.tell_cpu) / draws_us,
        }


def make_rows(tasks: int, scored: bool, variants: float, rate_N: FloatArray) -> list[Row]:
    """Rows numbered in their uid; a share of them variants of an earlier row."""
    rng = np.random.default_rng(0)
    passes = rng.binomial(8, rate_N).tolist() if scored else [0] * tasks
    above = (rng.random(tasks) * np.arange(tasks)).astype(np.int64).tolist()
    is_variant = (rng.random(tasks) < variants).tolist()
    return [
        Row(
            f"{i:016x}", {"i": i}, prior_passes=float(passes[i]),
            prior_attempts=8.0 * scored, parent=f"{above[i]:016x}" if i and is_variant[i] else "",
        )
        for i in range(tasks)
    ]  # fmt: skip


def cost(tasks: int, draws: int, scored: bool, variants: float = 0.0) -> dict[str, float]:
    """Microseconds at one size of the pool."""
    rate_N = np.random.default_rng(1).uniform(0.02, 0.98, tasks)
    rows = make_rows(tasks, scored, variants, rate_N)
    sampler = {"type": "heapa", "archive_max": draws // 8}
    config = CurriculumConfig.model_validate({"group_size": GROUP_SIZE, "sampler": sampler})
    gc.collect()
    start = time.process_time()
    with Curriculum(rows, config) as curriculum:
        opened = time.process_time() - start
        Loop(curriculum, rate_N, 2).play(256)
        loop = Loop(curriculum, rate_N, 3)
        loop.play(draws)
        recycled = curriculum.metrics()["recycled"]
    return {**loop.cost(), "recycled": recycled, "open_cpu_s": opened}


def refresh_ms(rows: int, repeats: int = 5) -> dict[str, float]:
    """The least milliseconds of processor time."""
    rng = np.random.default_rng(0)
    parent_N = np.maximum((rng.random(rows) * np.arange(rows)).astype(np.int64) - 1, -1)
    parent_N[0] = -1
    value_N, factor_N = rng.uniform(-1.0, 1.0, rows), rng.uniform(0.75, 1.33, rows)
    shape, aggregate = [], []
    for _ in range(repeats):
        start = time.process_time()
        forest = Forest.of(parent_N)
        middle = time.process_time()
        refreshed(forest, value_N, factor_N, "path")
        shape.append(middle - start)
        aggregate.append(time.process_time() - middle)
    families = Families()
    families.add([Row(str(i), {}, parent=str(above)) for i, above in enumerate(parent_N.tolist())])
    start = time.process_time()
    families.related()
    return {
        "related_ms": 1e3 * (time.process_time() - start),
        "forest_ms": 1e3 * min(shape),
        "refresh_ms": 1e3 * min(aggregate),
        "generations": float(forest.generation_N.max()),
    }


def drawn(name: str, tasks: int, seeds: int) -> dict[str, float]:
    """Draws per row where nobody learns, the mean over seeds."""
    found: dict[str, list[float]] = {"mid": [], "extreme": [], "living": []}
    for seed in range(seeds):
        rate_N = np.random.default_rng([seed, 0]).uniform(0.0, 1.0, tasks)
        mid_N = (rate_N >= 0.25) & (rate_N <= 0.75)
        extreme_N = (rate_N < 0.1) | (rate_N > 0.9)
        config = {"group_size": GROUP_SIZE, "seed": seed, **RULES[name]}
        if "archive_max" in name:
            config["sampler"] = {"type": "heapa", "archive_max": tasks // 4}
        rows = [Row(f"{i:016x}", {"i": i}) for i in range(tasks)]
        with Curriculum(rows, CurriculumConfig.model_validate(config)) as curriculum:
            Loop(curriculum, rate_N, seed).play(5 * tasks)
            visits_N = curriculum.table()["visits"]
            found["living"].append(curriculum.metrics()["rho"])
        found["mid"].append(float(visits_N[mid_N].mean()))
        found["extreme"].append(float(visits_N[extreme_N].mean()))
    return {key: fmean(values) for key, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=1_000_000, help="rows of the pools timed")
    parser.add_argument("--draws", type=int, default=40_000, help="draws timed in each")
    parser.add_argument("--rows", type=int, default=2_000, help="rows of the pools counted in")
    parser.add_argument("--seeds", type=int, default=4, help="pools counted in")
    parser.add_argument("--quick", action="store_true", help="20,000 rows, 200 and one seed")
    args = parser.parse_args()
    if args.quick:
        args.tasks, args.draws, args.rows, args.seeds = 20_000, 2_000, 200, 1
    pools = {
        "cold": cost(args.tasks, args.draws, scored=False),
        "scored": cost(args.tasks, args.draws, scored=True),
        "variants": cost(args.tasks, args.draws, scored=True, variants=0.1),
    }
    lineage = refresh_ms(100_000)
    counted = {name: drawn(name, args.rows, args.seeds) for name in RULES}
    for name, figures in {**pools, "lineage": lineage, **counted}.items():
        print(name, "  ".join(f"{key} {value:,.4g}" for key, value in figures.items()))
    result = {"tasks": args.tasks, "cost": pools, "lineage": lineage, "draws": counted}
    print(json.dumps(_rounded(result)))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
