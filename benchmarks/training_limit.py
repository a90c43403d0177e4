"""The best fixed allocation over rungs: a search, on other seeds than those of `training.py`.

    python benchmarks/training_limit.py --candidates 10

Candidates are bells over the mean length of the operands, centre and width drawn at random; of each
pool the one with the fewest rollouts to uniform's final accuracy goes into `training_limit.json`,
from which `training.py` takes its `limit`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from pathlib import Path
from statistics import fmean

import training
from arithmetic_curriculum.sums import sum_rows
from training_rules import LIMIT, fixed, known_rules
from training_verdict import Verdict

from curriculum_env.sim.entrants import UNIFORM

FIRST_SEED = 100


def bell(levels: list[str], centre: float, width: float) -> dict[str, float]:
    """Shares of rungs named `i+j`: a bell over (i + j) / 2."""
    weights = {}
    for level in levels:
        mean = sum(map(int, level.split("+"))) / 2
        weights[level] = 2.0 ** (-(((mean - centre) / width) ** 2))
    total = sum(weights.values())
    return {level: round(weight / total, 5) for level, weight in weights.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--candidates", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--pools", nargs="*", default=list(training.POOLS))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, default=Path("outputs/training-limit"))
    args = parser.parse_args()
    found = json.loads(LIMIT.read_text())["shares"] if LIMIT.exists() else {}
    for pool in args.pools:
        found[pool] = search(pool, args)
        LIMIT.write_text(json.dumps({"candidates": args.candidates, "shares": found}, indent=1) + "\n")


def search(pool: str, args: argparse.Namespace) -> dict[str, float]:
    """The best shares for one pool."""
    rng = random.Random(f"limit {pool}")
    weights = training.POOLS[pool].weights
    levels = sorted({row.level for row in sum_rows(training.SIZE, weights, FIRST_SEED)})
    rules = {UNIFORM: known_rules(pool)[UNIFORM]}
    shares = {}
    for _ in range(args.candidates):
        centre, width = rng.uniform(1.5, 5.0), rng.choice([0.75, 1.25, 2.0])
        name = f"fixed-{centre:.2f}-{width:.2f}"
        shares[name] = bell(levels, centre, width)
        rules[name] = fixed(shares[name])
    seeds = range(FIRST_SEED, FIRST_SEED + args.seeds)
    jobs = [
        training.Job(pool, name, seed, config, 50_000, args.output)
        for seed in seeds
        for name, config in rules.items()
    ]
    training.carry_out([job for job in jobs if not training.is_done(job)], args.processes)
    verdict = Verdict([json.loads(job.path.read_text()) for job in jobs])
    score = {name: fmean(verdict.needed(pool, name).values()) for name in shares}
    for name in sorted(shares, key=score.__getitem__):
        print(f"{pool}  {name}  {score[name]:.3f}  final {verdict.gained(pool, name)[0]:+.3f}")
    return shares[min(shares, key=score.__getitem__)]


if __name__ == "__main__":
    main()
