"""How well each estimator predicts the next group of a training run it follows.

Runs of the lab's simulated policies (`curriculum_env/sim`), drawn evenly and by the default rule,
11,200 groups of 8 over 4,000 tasks, are recorded through a store and replayed: each estimator
predicts a group's pass rate, then learns it. `static` is a pool without features whose pass
rates are uniform in [0, 1] and never change: the prior of `beta` is the truth there. `informed`
knows the policy, and how tasks are drawn, but not each task's own state, `truth` that as well: no
estimator can do better. Log-loss is in nats per rollout.

    python benchmarks/estimators.py --seeds 3
    python benchmarks/estimators.py --quick

Real runs, each with the features of its tasks: those of the tiny policy, and one of the runner
(`curriculum-env run arithmetic-curriculum`):

    python benchmarks/training.py --record --rules default --budget 89600 --output outputs/recorded
    python benchmarks/estimators.py --training outputs/recorded --run outputs/FOLDER

The last line is one JSON object: for each setting the mean over its runs of each log-loss and
Brier score, how much lower the log-loss of `irt` is than that of `beta` and of the best moving
average per bucket (`vs_beta`, `vs_bucket`; `_worst` of a single run), and the largest error of
calibration in a decile that holds 1% of the rollouts of all runs, with its standard error.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig, Row
from curriculum_env.cli.stored import store_url
from curriculum_env.samplers.survival import SurvivalConfig
from curriculum_env.samplers.uniform import UniformConfig
from curriculum_env.sim.informed import Informed
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
GROUPS, TASKS, GROUP_SIZE, DECILES = 11_200, 4_000, 8, 10


class Run(NamedTuple):
    """A recording, and what those who know more would have predicted of each group."""

    recording: Recording
    known_B: Mapping[str, FloatArray] = {}


# --- runs ------------------------------------------------------------------------------------
def simulated(setting: Setting, sampler: str, seed: int, groups: int) -> Run:
    """Train a simulated policy through an engine and a store; rewards come back at once."""
    world, store = World(setting, seed), open_store("memory://")
    informed, accepted = Informed(world), setting.false_accept
    known: dict[str, list[float]] = {"informed": [], "truth": []}
    config = CurriculumConfig(
        group_size=GROUP_SIZE, batch_groups=setting.batch, sampler=SAMPLERS[sampler], seed=seed
    )
    with Curriculum(world.rows, config, store) as curriculum:
        for _ in range(groups):
            rolled = world.roll(curriculum.ask())
            known["informed"].append(informed.predict(rolled.row))
            known["truth"].append(accepted + (1.0 - accepted) * world.pass_rate(rolled.row))
            informed.learn(rolled.row, rolled.reward_G)
            store.record(rolled.outcomes)
            world.learn(rolled)
        recording = read_recording(store, world.rows)
    return Run(recording, {name: np.array(values) for name, values in known.items()})


def static(seed: int, groups: int) -> Run:
    """Uniform pass rates that never change, each row drawn in turn."""
    rng = np.random.default_rng(seed)
    rows = [Row(f"{i:x}", {}) for i in range(TASKS)]
    row_B = np.arange(groups) % TASKS
    truth_B = rng.random(TASKS)[row_B]
    passed_BG = rng.random((groups, GROUP_SIZE)) < truth_B[:, None]
    taken = zip(row_B.tolist(), passed_BG.astype(float).tolist(), strict=True)
    graded = [Group(i, row, tuple(success_G)) for i, (row, success_G) in enumerate(taken)]
    return Run(Recording(rows, graded), {"truth": truth_B})


def simulations(name: str, seeds: int, groups: int) -> Iterator[Run]:
    """Every recording of one setting."""
    for seed in range(seeds):
        if name == "static":
            yield static(seed, groups)
            continue
        for sampler in SAMPLERS:
            yield simulated(SETTINGS[name], sampler, seed, groups)


def recorded(url: str, rows: Iterable[Row]) -> Run:
    """A run that a store holds."""
    with closing(open_store(url)) as store:
        return Run(read_recording(store, rows))


def trained(folder: Path) -> Iterator[tuple[str, Run]]:
    """The runs that `benchmarks/training.py --record` left in a folder."""
    from arithmetic_curriculum.sums import sum_rows

    from benchmarks.training import POOLS, SIZE

    for path in sorted(folder.glob("runs/*/*.db")):
        pool, (rule, _, seed) = path.parent.name, path.stem.rpartition("-")
        rows = sum_rows(SIZE, POOLS[pool].weights, int(seed))
        yield f"tiny {pool} {rule}", recorded(f"sqlite:///{path}", rows)


def played(folder: Path) -> tuple[str, Run]:
    """A run of `curriculum-env run arithmetic-curriculum`."""
    from arithmetic_curriculum.dataset import train_rows

    settings = json.loads((folder / "configs/resolved/run.json").read_text())["env"]["taskset"]
    rows = train_rows(settings["size"], settings["seed"], settings["levels"])
    return f"run {folder.name}", recorded(store_url(str(folder)), rows)


# --- what they show --------------------------------------------------------------------------
def measure(runs: Iterable[Run]) -> dict[str, Any]:
    """All estimators on some recordings."""
    every: dict[str, list[Score]] = {}
    gaps: list[FloatArray] = []
    for run in runs:
        replayed = {
            name: predictions(run.recording, make) for name, make in default_candidates().items()
        }
        for name, predicted_B in {**replayed, **run.known_B}.items():
            every.setdefault(name, []).append(score(name, run.recording, predicted_B))
        gaps.append(squared_gaps(run.recording, replayed["irt"]))
    losses = {key: [s.log_loss for s in scores] for key, scores in every.items()}
    buckets = [losses[key] for key in losses if key.startswith("bucket-ema")]
    best_bucket = min(buckets, key=fmean)
    error, doubt = calibration(every["irt"], np.sum(gaps, axis=0))
    return {
        "log_loss": {key: fmean(values) for key, values in losses.items()},
        "brier": {key: fmean(s.brier for s in scores) for key, scores in every.items()},
        **lower("vs_beta", losses["irt"], losses["beta"]),
        **lower("vs_bucket", losses["irt"], best_bucket),
        "calibration": error,
        "calibration_se": doubt,
    }


def lower(name: str, mine: list[float], other: list[float]) -> dict[str, float]:
    """How much lower my log-loss is, as a share of the other's: mean over runs, and worst run."""
    shares = [1.0 - m / o for m, o in zip(mine, other, strict=True)]
    return {name: fmean(shares), f"{name}_worst": min(shares)}


def squared_gaps(recording: Recording, predicted_B: FloatArray) -> FloatArray:
    """By decile, the sum over tasks of the square of what was predicted too much, in rollouts."""
    gap_DN = np.zeros((DECILES, len(recording.rows)))
    for group, p in zip(recording.groups, predicted_B.tolist(), strict=True):
        decile = min(int(p * DECILES), DECILES - 1)
        gap_DN[decile, group.row] += len(group.success_G) * p - sum(group.success_G)
    return np.asarray((gap_DN**2).sum(axis=1))


def calibration(scores: list[Score], squared_D: FloatArray) -> tuple[float, float]:
    """The largest error of a decile over all runs, of those that hold 1% of the rollouts, and its
    standard error where tasks are independent of each other."""
    errors, total = [(0.0, 0.0)], sum(s.rollouts for s in scores)
    for squared, deciles in zip(
        squared_D, zip(*(s.deciles for s in scores), strict=True), strict=True
    ):
        count = sum(d.rollouts for d in deciles)
        gap = sum(d.rollouts * ((d.predicted or 0.0) - (d.observed or 0.0)) for d in deciles)
        if count >= 0.01 * total:
            errors.append((abs(gap) / count, float(squared**0.5) / count))
    return max(errors)


def asked(args: argparse.Namespace) -> Iterator[tuple[str, Iterable[Run]]]:
    """What is to be measured, by name."""
    if args.training or args.run:
        yield from ((name, [run]) for folder in args.training for name, run in trained(folder))
        yield from ((name, [run]) for name, run in map(played, args.run))
        return
    names = args.settings.split(",") if args.settings else [*SETTINGS, "static"]
    names = ["features", "no-features", "static"] if args.quick else names
    seeds = 1 if args.quick else args.seeds
    yield from ((name, simulations(name, seeds, GROUPS)) for name in names)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, help="runs per setting and rule")
    parser.add_argument("--settings", help="names, with commas; unset, all")
    parser.add_argument("--quick", action="store_true", help="one seed, three settings")
    parser.add_argument(
        "--training", type=Path, action="append", default=[], help="folder of recorded training"
    )
    parser.add_argument("--run", type=Path, action="append", default=[], help="folder of a run")
    parser.add_argument(
        "--results", type=Path, help="file of the figures that the docs show; joins what is there"
    )
    args = parser.parse_args()
    result: dict[str, Any] = {}
    for name, runs in asked(args):
        found = result[name] = measure(runs)
        losses = "  ".join(f"{key} {value:.4f}" for key, value in found["log_loss"].items())
        print(
            f"{name}: {losses}  vs_beta {found['vs_beta']:.1%}  vs_bucket {found['vs_bucket']:.1%}"
            f"  calibration {found['calibration']:.3f} +- {found['calibration_se']:.3f}",
            flush=True,
        )
    if args.results:
        kept = json.loads(args.results.read_text()) if args.results.exists() else {}
        args.results.write_text(json.dumps({**kept, **rounded(result)}, indent=1) + "\n")
    print(json.dumps(rounded(result)))


def rounded(value: Any) -> Any:
    """The same with every number to four places."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return round(value, 4)


if __name__ == "__main__":
    main()
