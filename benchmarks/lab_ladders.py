"""The lab beside real training: the same rules on three pools of sums, and what both say of them.

`training_results.json` has what `training.py` measured: rollouts to the accuracy that uniform
drawing ends with, over those it spent (a rule that never got there counts as 1), and the accuracy
at the end above uniform's. Here the same rules, with the same settings, play the lab's three
ladders, and are judged alike.

    python benchmarks/lab_ladders.py --worlds 4 --results FILE
    python benchmarks/lab_ladders.py --set interference=0
    python benchmarks/lab_ladders.py --search 8 --worlds 1
    python benchmarks/lab_ladders.py --search 8 --worlds 1 --set interference=0
    python benchmarks/lab_ladders.py --quick

`--search` looks for the lab's free numbers in rounds of ten tries: at random in half of the rounds,
then near the best so far; what `--set` names stays. It hears of the rules `CALIBRATED` alone: what
the lab then says of the others, the default among them, is no fit. The last line is one JSON
object.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from curriculum_env.cli.lab_report import bar, wide
from curriculum_env.config import CurriculumConfig
from curriculum_env.sim import LADDERS
from curriculum_env.sim.entrants import DEFAULT, UNIFORM, Entrant
from curriculum_env.sim.kept import Job
from curriculum_env.sim.lab import run_job
from curriculum_env.sim.parallel import carry_out
from curriculum_env.sim.play import Play
from curriculum_env.sim.tiny.verdict import DYNAMIC

TRAINING = Path(__file__).with_name("training_results.json")
POOLS = {"even": "ladder-even", "easy-heavy": "ladder-easy", "hard-heavy": "ladder-hard"}
CALIBRATED = (
    *(UNIFORM, "rung-thompson", "mopps", "sec", "limit", "difficulty-pools"),
    *("gain-top", "survival-top"),
)
QUICK = (UNIFORM, "sec", DEFAULT)
RANGES = {
    "gain": (0.0015, 0.02),
    "adaptive": (0.0, 0.5),
    "fresh": (0.5, 0.97),
    "transfer": (0.0, 0.6),
    "interference": (0.0, 6.0),
}
TRIES = 10
ACCURACY, LEAST = 0.04, 0.02

Numbers = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """Rollouts to uniform's final accuracy over those it spent; the accuracy at the end, and that
    above uniform's."""

    needed: float
    final: float
    gained: float


Standings = dict[tuple[str, str], Standing]
"""By pool and rule."""


# --- both sides ------------------------------------------------------------------------------
def trained(results: Mapping[str, Any]) -> Standings:
    """What real training measured."""
    return {
        (pool, rule): Standing(line["rollouts_mean"], line["final"], line["gained"][0])
        for pool, lines in results["pools"].items()
        for rule, line in lines.items()
        if "seeds" in line and DYNAMIC not in rule
    }


def jobs(
    results: Mapping[str, Any], rules: Sequence[str], tried: Sequence[Numbers], worlds: int
) -> Iterator[tuple[int, str, Job]]:
    """The same runs in the lab with each of the numbers, by their place, and the pool."""
    for place, numbers in enumerate(tried):
        for pool, ladder in POOLS.items():
            setting = replace(LADDERS[ladder], **numbers)
            for rule in rules:
                config = CurriculumConfig.model_validate(results["settings"][pool][rule])
                for seed in range(worlds):
                    yield place, pool, Job(Entrant(rule, config), setting, seed)


def played(todo: Sequence[tuple[int, str, Job]], processes: int) -> list[Standings]:
    """Play them, and judge each rule by uniform drawing in the same worlds, for each of the
    numbers tried."""
    plays: dict[tuple[int, str, str], dict[int, Play]] = {}
    with bar(len(todo), Console(stderr=True)) as done:
        for position, play in carry_out(run_job, [job for *_, job in todo], processes):
            assert isinstance(play, Play)
            place, pool, _ = todo[position]
            plays.setdefault((place, pool, play.entrant), {})[play.seed] = play
            done()
    found: list[Standings] = [{} for _ in range(todo[-1][0] + 1)]
    for (place, pool, rule), by_seed in sorted(plays.items()):
        found[place][pool, rule] = standing(by_seed, plays[place, pool, UNIFORM])
    return found


def standing(plays: Mapping[int, Play], uniform: Mapping[int, Play]) -> Standing:
    needed = [needs(play, uniform[seed]) for seed, play in plays.items()]
    final = fmean(play.final for play in plays.values())
    return Standing(fmean(needed), final, final - fmean(play.final for play in uniform.values()))


def needs(play: Play, uniform: Play) -> float:
    spent, whole = play.rollouts_to(uniform.final), uniform.curve[-1][0]
    return 1.0 if spent is None else min(spent / whole, 1.0)


# --- calibration -----------------------------------------------------------------------------
def distance(lab: Standings, real: Standings) -> float:
    """Mean over pools and rules of (ratio of the rollouts, in logarithm)^2 + (difference of the
    accuracy gained / .04)^2; of uniform drawing, 2 (difference of the final accuracy / .1)^2."""
    parts = []
    for key, mine in lab.items():
        if key[1] == UNIFORM:
            parts.append(2.0 * ((mine.final - real[key].final) / 0.1) ** 2)
        else:
            ratio = math.log(max(mine.needed, LEAST) / max(real[key].needed, LEAST))
            parts.append(ratio**2 + ((mine.gained - real[key].gained) / ACCURACY) ** 2)
    return fmean(parts)


def search(results: Mapping[str, Any], args: argparse.Namespace) -> dict[str, float]:
    """The numbers of the least distance."""
    rng, real = random.Random("ladders"), trained(results)
    best: tuple[float, dict[str, float]] = (math.inf, {})
    for at in range(args.search):
        random_yet = at < args.search / 2
        tries = [anywhere(rng) if random_yet else near(best[1], rng) for _ in range(TRIES)]
        tries = [{**numbers, **dict(args.set)} for numbers in tries]
        everything = list(jobs(results, CALIBRATED, tries, args.worlds))
        for numbers, lab in zip(tries, played(everything, args.processes), strict=True):
            found = distance(lab, real)
            print(f"{found:.3f}  {json.dumps(numbers)}", flush=True)
            best = min(best, (found, numbers), key=lambda pair: pair[0])
    return best[1]


def anywhere(rng: random.Random) -> dict[str, float]:
    return {name: rounded(rng.uniform(*range_)) for name, range_ in RANGES.items()}


def near(numbers: Numbers, rng: random.Random) -> dict[str, float]:
    """Each moved by a tenth of its range, in deviation."""
    moved = {}
    for name, (low, high) in RANGES.items():
        value = numbers[name] + 0.1 * (high - low) * rng.gauss(0.0, 1.0)
        moved[name] = rounded(min(max(value, low), high))
    return moved


def rounded(value: float) -> float:
    return float(f"{value:.3g}")


# --- what is shown ---------------------------------------------------------------------------
def show(lab: Standings, real: Standings) -> None:
    console = wide()
    for pool in POOLS:
        shown = Table(box=None, header_style="bold", pad_edge=False)
        for title in (pool, "rollouts: real", "lab", "gained: real", "lab"):
            shown.add_column(title, justify="left" if title == pool else "right")
        lines = [(rule, line) for (found, rule), line in lab.items() if found == pool]
        for rule, line in sorted(lines, key=lambda pair: real[pool, pair[0]].needed):
            known = real[pool, rule]
            cells = [f"{known.needed:.2f}", f"{line.needed:.2f}"]
            cells += [f"{known.gained:+.3f}", f"{line.gained:+.3f}"]
            shown.add_row(rule, *cells)
        ends = (x[pool, UNIFORM].final for x in (real, lab))
        console.print(shown)
        console.print("uniform ends at {:.3f}, in the lab at {:.3f}".format(*ends), style="dim")


def agreement(lab: Standings, real: Standings, rules: Sequence[str]) -> dict[str, Any]:
    """Per pool: rank correlations of rollouts and of accuracy, and the mean ratio of rollouts."""
    return {pool: _agreement(lab, real, pool, rules) for pool in POOLS}


def _agreement(lab: Standings, real: Standings, pool: str, rules: Sequence[str]) -> dict[str, Any]:
    keys = [(pool, rule) for rule in rules if rule != UNIFORM]
    ratios = [abs(math.log(max(lab[k].needed, LEAST) / max(real[k].needed, LEAST))) for k in keys]
    return {
        "rollouts_rank": rank([lab[k].needed for k in keys], [real[k].needed for k in keys]),
        "gained_rank": rank([lab[k].gained for k in keys], [real[k].gained for k in keys]),
        "apart": round(math.exp(fmean(ratios)), 3),
    }


def rank(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's correlation."""
    value_2N = np.array([one, other])
    above_2NN = np.sign(value_2N[:, :, None] - value_2N[:, None, :])
    one_N, other_N = above_2NN.sum(axis=2)
    return round(float(one_N @ other_N / np.sqrt((one_N @ one_N) * (other_N @ other_N))), 3)


def main() -> None:
    def number(text: str) -> tuple[str, float]:
        name, _, value = text.partition("=")
        if name not in RANGES:
            raise argparse.ArgumentTypeError(
                f"{text!r}: expected one of {', '.join(RANGES)}, = a number"
            )
        return name, float(value)

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--training", type=Path, default=TRAINING, help="results of training.py")
    parser.add_argument("--results", type=Path, help="file of the figures that the docs show")
    parser.add_argument("--worlds", type=int, default=4, help="worlds of each ladder")
    parser.add_argument("--set", type=number, action="append", default=[], metavar="NAME=NUMBER")
    parser.add_argument("--search", type=int, default=0, metavar="TRIES")
    parser.add_argument("--processes", type=int, default=0, help="0: one per core")
    parser.add_argument("--quick", action="store_true", help="one world, three rules")
    args = parser.parse_args()
    results = json.loads(args.training.read_text())
    if args.search:
        print(json.dumps(search(results, args)))
        return
    real = trained(results)
    rules = QUICK if args.quick else tuple(dict.fromkeys(rule for _, rule in real))
    worlds = 1 if args.quick else args.worlds
    todo = list(jobs(results, rules, [dict(args.set)], worlds))
    (lab,) = played(todo, args.processes)
    show(lab, real)
    found = agreement(lab, real, rules)
    lines = {pool: {r: asdict(lab[pool, r]) for r in rules} for pool in POOLS}
    shown = json.dumps({"calibrated": CALIBRATED, "agreement": found, "lab": lines})
    if args.results:
        args.results.write_text(f"{shown}\n")
    print(shown)


if __name__ == "__main__":
    main()
