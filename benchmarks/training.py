"""Real training of a small model with every rule: what it costs to reach uniform's accuracy.

A character transformer of 0.34 million parameters, schooled by supervised learning until it adds
short numbers, learns by GRPO on three finite pools of 4,000 sums. Each (pool, rule, seed) is one run
of 50,000 rollouts, the discarded ones counted; its result is kept in the output folder, so that a
benchmark that was stopped goes on where it was.

    python benchmarks/training.py --seeds 6
    python benchmarks/training.py --quick
    python benchmarks/training.py --pools easy-heavy --rules uniform,default --seeds 2
    python benchmarks/training.py --rules uniform,mine --config mine=mine.json --seeds 2

`mine.json` holds the settings of a `CurriculumConfig`. A rule name with `+ds` behind it trains with
dynamic sampling, one with a star has the settings tuned in the lab. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from rich.console import Console
from training_rules import known_rules
from training_verdict import Verdict, as_json, show

from curriculum_env.cli.lab_report import bar
from curriculum_env.config import CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.sim.entrants import UNIFORM, entrant

SIZE = 4000
DYNAMIC = "+ds"


@dataclass(frozen=True, slots=True)
class Pool:
    """How common operands of 1 to 5 digits are, and how long the policy was schooled."""

    weights: tuple[float, ...]
    schooling: int


POOLS = {
    "even": Pool((1.0, 1.0, 1.0, 1.0, 1.0), 800),
    "easy-heavy": Pool((6.0, 3.0, 1.0, 0.5, 0.3), 800),
    "hard-heavy": Pool((0.15, 0.3, 1.0, 2.0, 3.0), 600),
}


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

    @property
    def path(self) -> Path:
        return self.folder / "runs" / self.pool / f"{self.rule.replace('*', '@')}-{self.seed}.json"


def run(job: Job) -> Path:
    """Train once and keep the result with the settings it came from."""
    import torch
    from arithmetic_curriculum.sums import heldout_sums, sum_rows

    from curriculum_env.sim.tiny.run import Exam, Loop, train
    from curriculum_env.sim.tiny.warm import Schooling, schooled

    torch.set_num_threads(1)
    pool = POOLS[job.pool]
    policy = schooled(Schooling(steps=pool.schooling, seed=job.seed))
    rows = sum_rows(SIZE, pool.weights, job.seed)
    loop = Loop(budget=job.budget, dynamic=job.rule.endswith(DYNAMIC), seed=job.seed)
    job.path.parent.mkdir(parents=True, exist_ok=True)
    store = f"sqlite:///{job.path.with_suffix('.db')}" if job.record else None
    exam = Exam(heldout_sums(len(pool.weights)))
    found = train(job.rule, job.config, job.pool, rows, exam, policy, loop, store)
    kept = {"settings": job.config.model_dump(mode="json"), "budget": job.budget, **asdict(found)}
    unfinished = job.path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(json.dumps(kept))
    unfinished.replace(job.path)
    return job.path


def jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Seed by seed, so that what is there when time runs out can be compared."""
    files = [text.partition("=") for text in args.config]
    own = {name: entrant(name, json.loads(Path(path).read_text())).config for name, _, path in files}
    rules = {pool: {**known_rules(pool), **own} for pool in args.pools}
    for seed in range(args.first_seed, args.first_seed + args.seeds):
        for pool in args.pools:
            for name in args.rules:
                config = named(name.removesuffix(DYNAMIC), rules[pool])
                yield Job(pool, name, seed, config, args.budget, args.output, args.record)


def named(name: str, rules: Mapping[str, CurriculumConfig]) -> CurriculumConfig:
    """The rule of that name."""
    if name not in rules:
        raise ConfigError(f"no rule {name!r}; expected one of {', '.join(rules)}")
    return rules[name]


def is_done(job: Job) -> bool:
    """Whether the folder holds this very run.

    Raises:
        ConfigError: it holds one of the same name with other settings.
    """
    if not job.path.exists():
        return False
    kept = json.loads(job.path.read_text())
    if (kept["settings"], kept["budget"]) != (job.config.model_dump(mode="json"), job.budget):
        raise ConfigError(
            f"{job.path} is of other settings than {job.rule!r} has now; expected the same: remove "
            "the file, or name another folder with --output"
        )
    return True


def carry_out(waiting: Sequence[Job], processes: int) -> None:
    """Run the jobs in processes of one thread each."""
    with bar(len(waiting), Console(stderr=True)) as done:
        if processes == 1:
            for job in waiting:
                run(job)
                done()
            return
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            for future in as_completed([pool.submit(run, job) for job in waiting]):
                future.result()
                done()


def arguments() -> argparse.Namespace:
    split = lambda text: [part for part in text.split(",") if part]  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pools", type=split, default=list(POOLS), help="pools by name, with commas")
    parser.add_argument("--rules", type=split, help="rules by name, with commas; unset, all")
    parser.add_argument("--config", action="append", default=[], metavar="NAME=FILE.json")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=50_000, help="rollouts of one run")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, default=Path("outputs/training"))
    parser.add_argument("--record", action="store_true", help="keep each run's store: RUN.db")
    parser.add_argument("--quick", action="store_true", help="one pool, four rules, one seed")
    args = parser.parse_args()
    if args.quick:
        args.pools, args.rules, args.seeds = ["easy-heavy"], ["uniform", "mopps", "default"], 1
        args.budget = 12_000
    args.rules = list(dict.fromkeys([UNIFORM, *(args.rules or EVERYONE)]))
    return args


EVERYONE = (
    "uniform", "uniform+ds", "thompson", "rung-thompson", "mopps", "greso", "sec",
    "difficulty-pools", "default", "default+ds", "limit",
)  # fmt: skip


def main() -> None:
    args = arguments()
    everything = list(jobs(args))
    carry_out([job for job in everything if not is_done(job)], args.processes)
    runs: list[dict[str, Any]] = [json.loads(job.path.read_text()) for job in everything]
    verdict = Verdict(runs)
    show(verdict, args.output)
    print(json.dumps(as_json(verdict)))


if __name__ == "__main__":
    main()
