"""What a draw costs, one ask and tell and a whole group, as the pool grows, beside an O(N) rule.

`ask_tell_us` is one `ask` and the `tell` of one rollout; `group_us` one `ask` and the `tell` of
all 8 rollouts of an earlier group, the last of which moves the beliefs. 8 groups are in flight,
settings are the defaults, the store is in memory. The 99.9th percentile is that of whole groups.
Memory is the resident set above that of the list of rows. "Replay" opens an SQLite store that
holds 100,000 logged draws and asks for all of them. The other rule is prime-rl's difficulty pools,
vectorised (docs/methods/difficulty-pools.md: the latest group mean puts a row into a pool of weight
.2, 1 or .2; every draw weighs all rows anew).

    python benchmarks/engine_cost.py --tasks 1000000
    python benchmarks/engine_cost.py --quick

The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections import deque
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig, Draw, Outcome, Row
from curriculum_env.engine import load_state, save_state
from curriculum_env.store import open_store

GROUP_SIZE, IN_FLIGHT = 8, 8


def resident_mb() -> float:
    """The resident set of this process, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def make_rows(tasks: int) -> list[Row]:
    return [Row(uid=f"{i:016x}", data={"i": i}, level=str(i % 5)) for i in range(tasks)]


def ask_tell(
    curriculum: Curriculum, pass_rate_N: np.ndarray[Any, Any], draws: int
) -> tuple[list[float], list[float], float]:
    """Microseconds of each ask and of each ask with the tells of a group, and the latter's mean in
    processor time of this thread."""
    rng = np.random.default_rng(curriculum.draws)
    chance = rng.random((draws, GROUP_SIZE))
    flight: deque[Draw] = deque()
    asks, groups, processor = [], [], 0
    for i in range(draws):
        processor_start, start = time.thread_time_ns(), time.perf_counter()
        flight.append(curriculum.ask())
        asked = time.perf_counter() - start
        asks.append(asked * 1e6)
        processor += time.thread_time_ns() - processor_start
        draw = flight.popleft() if len(flight) >= IN_FLIGHT else None
        outcomes = [] if draw is None else grade(draw, chance[i] < pass_rate_N[int(draw.uid, 16)])
        processor_start, start = time.thread_time_ns(), time.perf_counter()
        for outcome in outcomes:
            curriculum.tell(outcome)
        groups.append((asked + time.perf_counter() - start) * 1e6)
        processor += time.thread_time_ns() - processor_start
    return asks[IN_FLIGHT:], groups[IN_FLIGHT:], processor / 1e3 / draws


def grade(draw: Draw, passed_G: np.ndarray[Any, Any]) -> list[Outcome]:
    return [
        Outcome(draw.number, draw.uid, f"{draw.number}.{i}", float(passed))
        for i, passed in enumerate(passed_G)
    ]


def difficulty_pools(tasks: int, draws: int) -> float:
    """Mean microseconds of a draw and its group under the O(N) rule."""
    rng = np.random.default_rng(0)
    latest_N = np.full(tasks, np.nan)
    spent = []
    for _ in range(draws):
        start = time.perf_counter()
        with np.errstate(invalid="ignore"):
            weight_N = np.where((latest_N <= 0.25) | (latest_N > 0.75), 0.2, 1.0)
        cumulative_N = np.cumsum(weight_N)
        row = int(np.searchsorted(cumulative_N, rng.random() * cumulative_N[-1]))
        latest_N[row] = rng.random(GROUP_SIZE).mean()
        spent.append((time.perf_counter() - start) * 1e6)
    return mean(spent)


def state_load_s(curriculum: Curriculum, rows: list[Row], folder: Path) -> float:
    """Seconds to read a saved state and go on from it."""
    save_state(folder, curriculum.state_dict())
    with Curriculum(rows, CurriculumConfig(group_size=GROUP_SIZE)) as other:
        start = time.perf_counter()
        other.load_state_dict(load_state(folder))
        return time.perf_counter() - start


def write_log(url: str, rows: list[Row], draws: int) -> None:
    store = open_store(url)
    store.acquire()
    run = store.start_run({})
    store.append_draws(
        run, [Draw(i, rows[i % len(rows)].uid, 1.0, time.time()) for i in range(draws)]
    )
    store.close()


def replay_s(rows: list[Row], folder: Path, draws: int) -> float:
    """Seconds to replay `draws` logged draws, opening the log included."""
    url = f"sqlite:///{folder / 'replay.db'}"
    write_log(url, rows, draws)
    config = CurriculumConfig(group_size=GROUP_SIZE)
    empty = f"sqlite:///{folder / 'empty.db'}"
    start = time.perf_counter()
    Curriculum(rows, config, empty).close()
    opening_the_pool = time.perf_counter() - start
    start = time.perf_counter()
    with Curriculum(rows, config, url) as curriculum:
        numbers = [curriculum.ask().number for _ in range(draws)]
        spent = time.perf_counter() - start
        assert numbers == list(range(draws))
        assert curriculum.metrics()["replayed_draws"] == draws
    return spent - opening_the_pool


def measure(tasks: int, draws: int) -> dict[str, float]:
    """Cost and memory at one size of the pool."""
    rows = make_rows(tasks)
    pass_rate_N = np.random.default_rng(0).uniform(0.02, 0.98, tasks)
    gc.collect()
    before = resident_mb()
    with Curriculum(rows, CurriculumConfig(group_size=GROUP_SIZE)) as curriculum:
        ask_tell(curriculum, pass_rate_N, 256)
        asks, groups, processor = ask_tell(curriculum, pass_rate_N, draws)
        memory = resident_mb() - before
        with tempfile.TemporaryDirectory() as folder:
            load = state_load_s(curriculum, rows, Path(folder))
    return {
        "tasks": tasks,
        "ask_tell_us_mean": mean(asks) + (mean(groups) - mean(asks)) / GROUP_SIZE,
        "group_us_mean": mean(groups),
        "group_cpu_us_mean": processor,
        "group_us_median": float(np.median(groups)),
        "ask_tell_us_p999": float(np.percentile(groups, 99.9)),
        "group_us_max": max(groups),
        "memory_mb": memory,
        "state_load_s": load,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=1_000_000, help="rows of the largest pool")
    parser.add_argument("--draws", type=int, default=40_000, help="draws timed at each size")
    parser.add_argument("--quick", action="store_true", help="100,000 rows, 4,000 draws")
    args = parser.parse_args()
    tasks, draws = (100_000, 4_000) if args.quick else (args.tasks, args.draws)
    sizes = sorted({size for size in (1_000, 10_000, 100_000) if size < tasks} | {tasks})
    growth = [measure(size, draws) for size in sizes]
    for line in growth:
        print("  ".join(f"{key} {value:,.3g}" for key, value in line.items()))
    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        replay = replay_s(make_rows(10_000), Path(folder), 100_000)
    pools = difficulty_pools(tasks, 50)
    last = growth[-1]
    result = {
        **last,
        "replay_100k_s": replay,
        "difficulty_pool_us_mean": pools,
        "ratio": pools / last["group_us_mean"],
        "growth": {str(int(line["tasks"])): line["group_us_mean"] for line in growth},
    }
    print(json.dumps({key: _rounded(value) for key, value in result.items()}))


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
