"""How well each estimator predicts the next group of a training run it follows.

Runs of the lab's simulated policies (`curriculum_env/sim`), drawn evenly and by the default rule,
11,200 groups of 8 over 4,000 tasks, are recorded through a store and replayed: each estimator
predicts a group's pass rate, then learns it. `static` is a pool without features whose pass
rates are uniform in [0, 1] and never change: the prior of `beta` is the truth there. `oracle`
knows the true pass rate at each draw: no estimator can do better. Log-loss is in nats per rollout.

    python benchmarks/estimators.py --seeds 3
    python benchmarks/estimators.py --quick

The last line is one JSON object: for each setting the mean over its runs of each log-loss and
Brier score, how much lower the log-loss of `irt` is than that of `beta` and of the best moving
average per bucket (`vs_beta`, `vs_bucket`; `_worst` of a single run), and the largest error of
calibration in a decile that holds 1% of the rollouts of all runs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig, Row
from curriculum_env.samplers.survival import SurvivalConfig
from curriculum_env.samplers.uniform import UniformConfig
from curriculum_env.sim.replay import (
    Recording,
    Score,
    default_candidates,
    predictions,
    read_recording,
    score,
)
from curriculum_env.sim.setting import SETTINGS, Setting
from curriculum_env.sim.world import World
from curriculum_env.store import open_store
from curriculum_env.types import FloatArray, Group

SAMPLERS: dict[str, Any] = {"uniform": UniformConfig(), "survival": SurvivalConfig()}
GROUPS, TASKS, GROUP_SIZE = 11_200, 4_000, 8


class Run(NamedTuple):
    """A recording, and the true pass rate of each group when it was rolled."""

    recording: Recording
    truth_B: FloatArray


def simulated(setting: Setting, sampler: str, seed: int, groups: int) -> Run:
    """Train a simulated policy through an engine and a store; rewards come back at once."""
    world, store, truth = World(setting, seed), open_store("memory://"), []
    accepted = setting.false_accept
    config = CurriculumConfig(
        group_size=GROUP_SIZE, batch_groups=setting.batch, sampler=SAMPLERS[sampler], seed=seed
    )
    with Curriculum(world.rows, config, store) as curriculum:
        for _ in range(groups):
            rolled = world.roll(curriculum.ask())
            truth.append(accepted + (1.0 - accepted) * world.pass_rate(rolled.row))
            store.record(rolled.outcomes)
            world.learn(rolled)
        recording = read_recording(store, world.rows)
    return Run(recording, np.array(truth))


def static(seed: int, groups: int) -> Run:
    """Uniform pass rates that never change, each row drawn in turn."""
    rng = np.random.default_rng(seed)
    rows = [Row(f"{i:x}", {}) for i in range(TASKS)]
    row_B = np.arange(groups) % TASKS
    truth_B = rng.random(TASKS)[row_B]
    passed_BG = rng.random((groups, GROUP_SIZE)) < truth_B[:, None]
    taken = zip(row_B.tolist(), passed_BG.astype(float).tolist(), strict=True)
    graded = [Group(i, row, tuple(success_G)) for i, (row, success_G) in enumerate(taken)]
    return Run(Recording(rows, graded), truth_B)


def runs(name: str, seeds: int, groups: int) -> Iterator[Run]:
    """Every recording of one setting."""
    for seed in range(seeds):
        if name == "static":
            yield static(seed, groups)
            continue
        for sampler in SAMPLERS:
            yield simulated(SETTINGS[name], sampler, seed, groups)


def measure(name: str, seeds: int, groups: int) -> dict[str, Any]:
    """All estimators on all recordings of one setting."""
    every: dict[str, list[Score]] = {}
    for run in runs(name, seeds, groups):
        for candidate, make in default_candidates().items():
            predicted_B = predictions(run.recording, make)
            every.setdefault(candidate, []).append(score(candidate, run.recording, predicted_B))
        every.setdefault("oracle", []).append(score("oracle", run.recording, run.truth_B))
    losses = {key: [s.log_loss for s in scores] for key, scores in every.items()}
    buckets = [losses[key] for key in losses if key.startswith("bucket-ema")]
    best_bucket = min(buckets, key=fmean)
    return {
        "log_loss": {key: fmean(values) for key, values in losses.items()},
        "brier": {key: fmean(s.brier for s in scores) for key, scores in every.items()},
        **lower("vs_beta", losses["irt"], losses["beta"]),
        **lower("vs_bucket", losses["irt"], best_bucket),
        "calibration": {key: calibration(scores) for key, scores in every.items()},
    }


def lower(name: str, mine: list[float], other: list[float]) -> dict[str, float]:
    """How much lower my log-loss is, as a share of the other's: mean over runs, and worst run."""
    shares = [1.0 - m / o for m, o in zip(mine, other, strict=True)]
    return {name: fmean(shares), f"{name}_worst": min(shares)}


def calibration(scores: list[Score]) -> float:
    """The largest error of a decile over all runs, of those that hold 1% of the rollouts."""
    worst, total = 0.0, sum(s.rollouts for s in scores)
    for deciles in zip(*(s.deciles for s in scores), strict=True):
        count = sum(d.rollouts for d in deciles)
        gap = sum(d.rollouts * ((d.predicted or 0.0) - (d.observed or 0.0)) for d in deciles)
        if count >= 0.01 * total:
            worst = max(worst, abs(gap) / count)
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="runs per setting and rule")
    parser.add_argument("--quick", action="store_true", help="one seed, three settings")
    args = parser.parse_args()
    names = ["features", "no-features", "static"] if args.quick else [*SETTINGS, "static"]
    result: dict[str, Any] = {}
    for name in names:
        found = measure(name, 1 if args.quick else args.seeds, GROUPS)
        result[name] = found
        losses = "  ".join(f"{key} {value:.4f}" for key, value in found["log_loss"].items())
        print(
            f"{name}: {losses}  vs_beta {found['vs_beta']:.1%}  vs_bucket {found['vs_bucket']:.1%}"
            f"  calibration {found['calibration']['irt']:.3f}",
            flush=True,
        )
    print(json.dumps(rounded(result)))


def rounded(value: Any) -> Any:
    """The same with every number to four places."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return round(value, 4)


if __name__ == "__main__":
    main()
