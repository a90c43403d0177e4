"""Real training of a small model with every rule: what it costs to reach uniform's accuracy.

A character transformer of 0.34 million parameters, schooled by supervised learning until it adds
short numbers, learns by GRPO on three finite pools of 4,000 sums. Each (pool, rule, seed) is one
run of 50,000 rollouts, the discarded ones counted; its result is kept in the output folder, so that
a benchmark that was stopped goes on where it was. The policy is schooled once, with one seed: the
seeds of the runs differ in the pool, in what is drawn and in what the policy answers.

    python benchmarks/training.py --seeds 6 --results FILE
    python benchmarks/training.py --quick
    python benchmarks/training.py --pools easy-heavy --rules uniform,default --seeds 2
    python benchmarks/training.py --rules mine --config mine=mine.json --seeds 2
    python benchmarks/training.py --search-limit 8
    python benchmarks/training.py --rules uniform,default --seeds 6 --hide --output outputs/hidden
    python benchmarks/training.py --pools easy-heavy --rules default --trl

`mine.json` holds the settings of a `CurriculumConfig`. A rule with `+ds` behind its name trains
with dynamic sampling, with `+ds+rate` at a learning rate that follows what a batch took as well;
one with a star has the settings that the lab's search found best; `-top` takes the highest score
first, whatever its bucket, with the settings that the lab was calibrated on. `limit` is the best
fixed allocation over rungs, which `--search-limit` looks for on other seeds and keeps in
`training_limit.json`. `--hide` shows a curriculum no domain, level or features. `--trl` trains
the rules once more by TRL's trainer, one seed, and compares the curves. `--results` writes the
figures that the documentation shows, and that `lab_ladders.py` compares the lab with, beside the
settings of each rule. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from arithmetic_curriculum.sums import heldout_sums, sum_rows
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from curriculum_env.cli.lab_report import bar, wide
from curriculum_env.config import CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.plots import accuracy_panels, draw_accuracy
from curriculum_env.sim import parallel
from curriculum_env.sim.entrants import DEFAULT, PLAIN, UNIFORM, entrant, entrants, tuned
from curriculum_env.sim.summary import Standings
from curriculum_env.sim.tiny.curve import Training
from curriculum_env.sim.tiny.run import Exam, Loop, train
from curriculum_env.sim.tiny.verdict import AXES, DYNAMIC, SCALED, Verdict, as_json, figures
from curriculum_env.sim.tiny.warm import Schooling, schooled

LIMIT = Path(__file__).with_name("training_limit.json")
SIZE, BATCH, OTHER_SEEDS = 4000, 16, 100
TOP = {"pick": "top", "novelty": 0.8, "refresh": 125}
"""Highest first: pinned, so that the lab stays calibrated on it when defaults change."""
EVERYONE = (
    *("uniform", "uniform+ds", "thompson", "rung-thompson", "mopps", "greso", "sec"),
    *("difficulty-pools", "default", "default+ds", "default+ds+rate", "limit"),
    *("gain-top", "survival-top"),
    *("thompson*", "mopps*", "greso*", "sec*", "difficulty-pools*"),
)
Rules = Mapping[str, CurriculumConfig]


@dataclass(frozen=True, slots=True)
class Pool:
    """How common operands of 1 to 5 digits are, and for how many steps the policy was schooled: by
    one seed, for schools differ more than rules do (uniform ended at .89, .47 and .67 on `even`
    from the schools of seeds 0, 1 and 2)."""

    weights: tuple[float, ...]
    schooling: int


POOLS = {
    "even": Pool((1.0, 1.0, 1.0, 1.0, 1.0), 800),
    "easy-heavy": Pool((6.0, 3.0, 1.0, 0.5, 0.3), 800),
    "hard-heavy": Pool((0.15, 0.3, 1.0, 2.0, 3.0), 600),
}


# --- rules -----------------------------------------------------------------------------------
def known_rules(pool: str) -> dict[str, CurriculumConfig]:
    """Our default, every rule as published (which chooses anew for each batch), those tuned in
    the lab, and rules over rungs."""
    found = {name: one.config for name, one in {**entrants(), **tuned()}.items()}
    del found["oracle"], found["uniform-live"]
    for name in ("gain", "survival"):
        found[f"{name}-top"] = found[name].model_copy(update=TOP)
    for name, one in entrants().items():
        if one.kind == "rule":
            found[name] = one.config.model_copy(update={"refresh": BATCH})
    found["rung-thompson"] = over_rungs("RungThompson", {})
    if LIMIT.exists() and pool in (shares := json.loads(LIMIT.read_text())["shares"]):
        found["limit"] = over_rungs("FixedShares", {"shares": shares[pool]})
    return found


def over_rungs(name: str, args: dict[str, Any]) -> CurriculumConfig:
    path = f"curriculum_env.sim.rungs:{name}"
    sampler = {"type": "custom", "class_path": path, "args": args}
    return entrant(name, {**PLAIN, "refresh": BATCH, "sampler": sampler}).config


# --- runs ------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Job:
    """One run, and the file its result is kept in."""

    pool: str
    rule: str
    seed: int
    config: CurriculumConfig
    budget: int
    folder: Path
    record: bool = False
    hide: bool = False

    @property
    def path(self) -> Path:
        return self.folder / "runs" / self.pool / f"{self.rule.replace('*', '@')}-{self.seed}.json"

    @property
    def schooling(self) -> Schooling:
        return Schooling(steps=POOLS[self.pool].schooling)

    @property
    def loop(self) -> Loop:
        dynamic, scaled = DYNAMIC in self.rule, self.rule.endswith(SCALED)
        return Loop(budget=self.budget, dynamic=dynamic, scaled=scaled, seed=self.seed)

    @property
    def terms(self) -> dict[str, Any]:
        """What the result depends on beside the file's name."""
        kept = {"budget": self.budget, "school": self.schooling.key}
        kept |= {"hidden": True} if self.hide else {}
        return {"settings": settings(self.config), **kept}

    @property
    def done(self) -> bool:
        """Whether the folder holds this very run.

        Raises:
            ConfigError: it holds one of the same name with other settings.
        """
        if not self.path.exists():
            return False
        kept = json.loads(self.path.read_text())
        if not self.agrees(kept):
            raise ConfigError(
                f"{self.path} is of other settings, or of another school, than {self.rule!r} has "
                "now; expected the same: remove the file, or name another folder with --output"
            )
        return True

    def agrees(self, kept: Mapping[str, Any]) -> bool:
        """Whether a result depended on the same; what its settings leave out is at its default."""
        try:
            then = settings(CurriculumConfig.model_validate(kept["settings"]))
        except (KeyError, ValidationError):
            return False
        return all({**kept, "settings": then}.get(name) == now for name, now in self.terms.items())


def settings(config: CurriculumConfig) -> dict[str, Any]:
    """The settings of a rule; those of augmentation only where it is on."""
    return config.model_dump(mode="json", exclude=None if config.augment.enabled else {"augment"})


def run(job: Job) -> None:
    """Train once and keep the result beside what it depends on."""
    import torch

    torch.set_num_threads(1)
    pool = POOLS[job.pool]
    policy = schooled(job.schooling)
    rows = list(sum_rows(SIZE, pool.weights, job.seed))
    if job.hide:
        rows = [replace(row, domain="", level="", features={}) for row in rows]
    job.path.parent.mkdir(parents=True, exist_ok=True)
    store = f"sqlite:///{job.path.with_suffix('.db')}" if job.record else None
    exam = Exam(heldout_sums(len(pool.weights)))
    found = train(job.rule, job.config, job.pool, rows, exam, policy, job.loop, store)
    kept = {**job.terms, **asdict(found)}
    unfinished = job.path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(json.dumps(kept))
    unfinished.replace(job.path)


def carry_out(jobs: Sequence[Job], processes: int) -> list[Training]:
    """Run what is not done yet, in processes of one thread each, and read all results."""
    waiting = [job for job in jobs if not job.done]
    with bar(len(waiting), Console(stderr=True)) as done:
        for _ in parallel.carry_out(run, waiting, processes):
            done()
    return [Training.from_json(json.loads(job.path.read_text())) for job in jobs]


def jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Seed by seed, so that what is there when time runs out can be compared."""
    files = [text.partition("=") for text in args.config]
    own = {
        name: entrant(name, json.loads(Path(path).read_text())).config for name, _, path in files
    }
    rules = {pool: {**known_rules(pool), **own} for pool in args.pools}
    for seed in range(args.first_seed, args.first_seed + args.seeds):
        for pool in args.pools:
            for name in args.rules:
                config = named(name.split(DYNAMIC)[0], rules[pool])
                kept = args.output, args.record, args.hide
                yield Job(pool, name, seed, config, args.budget, *kept)


def named(name: str, rules: Rules) -> CurriculumConfig:
    if name not in rules:
        raise ConfigError(f"no rule {name!r}; expected one of {', '.join(rules)}")
    return rules[name]


# --- the limit -------------------------------------------------------------------------------
def bell(levels: Sequence[str], centre: float, width: float) -> dict[str, float]:
    """Shares of rungs named `i+j`: a bell over (i + j) / 2, halved at `width` from its centre."""
    weights = {}
    for level in levels:
        mean = sum(map(int, level.split("+"))) / 2
        weights[level] = 2.0 ** (-(((mean - centre) / width) ** 2))
    total = sum(weights.values())
    return {level: round(weight / total, 5) for level, weight in weights.items()}


def search_limit(pool: str, args: argparse.Namespace) -> dict[str, float]:
    """The shares with which the fewest rollouts were needed, of random bells on other seeds; of
    those alike, the ones that ended highest."""
    rng, shares = random.Random(f"limit {pool}"), {}
    levels = sorted({row.level for row in sum_rows(SIZE, POOLS[pool].weights, OTHER_SEEDS)})
    rules = {UNIFORM: known_rules(pool)[UNIFORM]}
    for _ in range(args.search_limit):
        centre, width = rng.uniform(1.5, 5.0), rng.choice([0.75, 1.25, 2.0])
        name = f"fixed-{centre:.2f}-{width:.2f}"
        shares[name] = bell(levels, centre, width)
        rules[name] = over_rungs("FixedShares", {"shares": shares[name]})
    todo = [
        Job(pool, name, seed, config, args.budget, args.output / "limit")
        for seed in range(OTHER_SEEDS, OTHER_SEEDS + args.seeds)
        for name, config in rules.items()
    ]
    verdict = Verdict(carry_out(todo, args.processes))
    needed = {name: fmean(verdict.needed(pool, name).values()) for name in shares}
    gained = {name: fmean(verdict.gained(pool, name)) for name in shares}
    ranked = sorted(shares, key=lambda name: (needed[name], -gained[name]))
    for name in ranked:
        print(f"{pool}  {name}  {needed[name]:.3f}  final {gained[name]:+.3f}", flush=True)
    return shares[ranked[0]]


# --- the same by TRL -------------------------------------------------------------------------
def through_trl(args: argparse.Namespace) -> None:
    """Train each rule on each pool with both loops, and show both curves."""
    from curriculum_env.cli import train_tiny

    for job in [job for job in jobs(args) if job.rule != UNIFORM]:
        weights = list(POOLS[job.pool].weights)
        taskset = {"id": "arithmetic-curriculum", "size": SIZE, "sums": weights, "seed": job.seed}
        own, path = carry_out([job], 1)[0], args.output / "trl" / job.pool / f"{job.rule}.json"
        policy, exam = schooled(job.schooling), Exam(heldout_sums(len(weights)))
        found = train_tiny.train(
            job.rule, job.config, job.pool, taskset, exam, policy, job.loop, path.parent
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(found)))
        show_both(job, train_tiny.agreement(own, found))


def show_both(job: Job, found: dict[str, Any]) -> None:
    """Print both curves, then a line of JSON."""
    shown = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("rollouts", "own loop", "TRL"):
        shown.add_column(title, justify="right")
    for at, own, trl in zip(found["rollouts"], found["own"], found["trl"], strict=True):
        shown.add_row(f"{at:,}", f"{own:.3f}", f"{trl:.3f}")
    console = wide()
    console.print(f"{job.rule} on {job.pool}, held-out accuracy")
    console.print(shown)
    print(json.dumps({"trl": {"pool": job.pool, "rule": job.rule, **found}}))


# --- what is shown ---------------------------------------------------------------------------
def show(verdict: Verdict, folder: Path) -> None:
    """Print a table for each pool, and draw the curves into a folder."""
    console = wide()
    for pool in verdict.pools:
        console.print(table(verdict, pool))
    console.print(
        "rollouts, steps, seconds of one core: to the accuracy uniform drawing ends with, over all "
        "that uniform spent; medians over seeds (> : not reached on every seed). final: mean "
        "chance of a right answer on the held-out sums at the end",
        style="dim",
    )
    plays = [run.play() for by_seed in verdict.runs.values() for run in by_seed.values()]
    try:
        draw_accuracy(accuracy_panels(Standings(plays), best=4), folder / "training.png")
        console.print(f"drawn: {folder / 'training.png'}", style="dim")
    except ConfigError as error:
        console.print(f"No plot: {error}.", style="dim")


def table(verdict: Verdict, pool: str) -> Table:
    """One line for each rule, the fewest rollouts first."""
    shown = Table(box=None, header_style="bold", pad_edge=False)
    shown.add_column(pool, no_wrap=True)
    for title in (*AXES, "final", "gained", "worst rung", "ρ", "tasks", "wasted"):
        shown.add_column(title, justify="right")
    found = {rule: figures(verdict, pool, rule) for rule in verdict.rules(pool)}
    for rule, line in sorted(found.items(), key=lambda item: item[1]["rollouts"]):
        low, high = line["rollouts_interval"]
        mark = ">" if line["reached"] < 1.0 else ""
        shown.add_row(
            rule,
            f"{mark}{line['rollouts']:.2f} [{low:.2f}, {high:.2f}]",
            f"{line['steps']:.2f}",
            f"{line['seconds']:.2f}",
            f"{line['final']:.3f}",
            "{:+.3f} [{:+.3f}, {:+.3f}]".format(*line["gained"]),
            f"{line['worst_rung']:+.3f}",
            f"{line['rho']:.2f}",
            str(line["distinct"]),
            f"{line['wasted']:.0%}",
        )
    return shown


def arguments() -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return [part for part in text.split(",") if part]

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pools", type=names, default=list(POOLS), help="names, with commas")
    parser.add_argument("--rules", type=names, help="names, with commas; unset, all")
    parser.add_argument("--config", action="append", default=[], metavar="NAME=FILE.json")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=50_000, help="rollouts of one run")
    parser.add_argument("--processes", type=int, default=0, help="0: one per core")
    parser.add_argument("--output", type=Path, default=Path("outputs/training"))
    parser.add_argument("--results", type=Path, help="file of the figures that the docs show")
    parser.add_argument("--record", action="store_true", help="keep each run's store: RUN.db")
    parser.add_argument("--hide", action="store_true", help="no domain, level and features")
    parser.add_argument("--search-limit", type=int, default=0, metavar="CANDIDATES")
    parser.add_argument("--trl", action="store_true", help="by TRL too, the first seed")
    parser.add_argument("--quick", action="store_true", help="one pool, three rules, one seed")
    args = parser.parse_args()
    if args.quick:
        args.pools, args.rules, args.seeds = ["easy-heavy"], ["rung-thompson", "default"], 1
        args.budget, args.output = 20_000, args.output / "quick"
    if args.quick and args.trl:
        args.rules, args.budget = [DEFAULT], 8_192
    if args.trl:
        args.rules, args.seeds = args.rules or [DEFAULT], 1
    unset = [name for name in EVERYONE if name != "limit" or LIMIT.exists()]
    args.rules = list(dict.fromkeys([UNIFORM, *(args.rules or unset)]))
    return args


def main() -> None:
    args = arguments()
    if args.trl:
        through_trl(args)
        return
    if args.search_limit:
        found = json.loads(LIMIT.read_text())["shares"] if LIMIT.exists() else {}
        for pool in args.pools:
            found[pool] = search_limit(pool, args)
            kept = {"candidates": args.search_limit, "shares": found}
            LIMIT.write_text(json.dumps(kept, indent=1) + "\n")
        return
    todo = list(jobs(args))
    verdict = Verdict(carry_out(todo, args.processes))
    show(verdict, args.output)
    found = as_json(verdict)
    if args.results:
        rules: dict[str, dict[str, Any]] = {pool: {} for pool in verdict.pools}
        for job in todo:
            rules[job.pool][job.rule] = settings(job.config)
        args.results.write_text(json.dumps({**found, "settings": rules}) + "\n")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
