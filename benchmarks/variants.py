"""What tasks made from others are worth: HeaPA's comparison, in the lab and in real training.

A small pool runs out. Each arm is a rule with variants or without: `ps` is prioritized sampling,
`pa` variants of all that is drawn with uniform drawing, `heapa` HeaPA, `default` ours. All have the
same pools, the same held-out tasks and the same number of rollouts, those of variants counted. Arms
as published make one variant of each task drawn and know none of our limits. Results are kept run
by run, so that a benchmark that was stopped goes on where it was.

    python benchmarks/variants.py --lab --seeds 10
    python benchmarks/variants.py --training --seeds 4
    python benchmarks/variants.py --lab --quick

`--lab`: 300 simulated tasks, 48,000 rollouts. `--training`: the tiny policy learns sums by GRPO
from 200 of them, 50,000 rollouts; variants have other numbers of the same lengths. Intervals hold
95% of the bootstrap over seeds, paired. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

from rich.console import Console
from rich.table import Table

from curriculum_env.cli.lab_report import bar, wide
from curriculum_env.config import CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.sim import parallel
from curriculum_env.sim.entrants import DEFAULT, PLAIN, UNIFORM, entrant
from curriculum_env.sim.play import Play, play
from curriculum_env.sim.setting import SMALL_POOLS, Setting
from curriculum_env.sim.summary import bootstrap
from curriculum_env.store.queue import RECHECK, Augmentation
from curriculum_env.types import Row

Settings = dict[str, Any]
OURS, NONE, HEAPA = f"{DEFAULT}+variants", DEFAULT, "heapa"
SUMS, SCHOOLING, BATCH = 200, 800, 16
POOLS = {"easy-heavy": (6.0, 3.0, 1.0, 0.5, 0.3), "even": (1.0, 1.0, 1.0, 1.0, 1.0)}
ON = {"enabled": True}
PUBLISHED = {
    **ON,
    "parents": "sampled",
    "pool_share": 0.99,
    "draw_share": 1.0,
    "generations": 1_000,
    "fan_out": 1_000,
    "family": 100_000,
    "relatives": 1_000,
}


# --- arms ------------------------------------------------------------------------------------
def published(sampler: Settings, augment: Settings | None = None) -> Settings:
    """A rule as published, with variants where `augment` says how."""
    settings = {**PLAIN, "sampler": sampler}
    return settings if augment is None else {**settings, "augment": {**PUBLISHED, **augment}}


def heapa(lineage: str, entry: str = "estimate", **sampler: object) -> Settings:
    return published({"type": "heapa", "lineage": lineage, **sampler}, {"entry": entry})


ARMS: dict[str, Settings] = {
    UNIFORM: published({"type": "uniform"}),
    "ps": published({"type": "ps"}),
    NONE: {},
    "pa": published({"type": "uniform"}, {}),
    "ps+pa": published({"type": "ps"}, {}),
    "heapa-child": heapa("child"),
    "heapa-path": heapa("path"),
    "heapa-path-cold": heapa("path", "cold"),
    "heapa-child-archive": heapa("child", archive_max=300, refresh_every=64),
    "heapa-path-archive": heapa("path", archive_max=300, refresh_every=64),
    OURS: {"augment": ON},
}
MORE: dict[str, Settings] = {
    "heapa-path-harder": published(
        {"type": "heapa", "lineage": "path"}, {"entry": "estimate", "kinds": ["numbers", "harder"]}
    ),
    f"{OURS}-harder": {"augment": {**ON, "kinds": ["numbers", "harder"]}},
    f"{OURS}-living": {"augment": {**ON, "parents": "living"}},
    f"{OURS}-sampled": {"augment": {**ON, "parents": "sampled"}},
    f"{OURS}-estimate": {"augment": {**ON, "entry": "estimate"}},
    f"{OURS}-four": {"augment": {**ON, "per_parent": 4}},
    f"{OURS}-two-relatives": {"augment": {**ON, "relatives": 2}},
    f"{OURS}-relatives": {"augment": {**ON, "relatives": 1_000}},
    f"{OURS}-unwatched": {"augment": {**ON, "watch": {"enabled": False}}},
}
"""One thing changed, on demand."""


# --- runs ------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Job:
    """One run, and the file its result is kept in."""

    place: str
    arm: str
    seed: int
    settings: Settings
    budget: int
    training: bool
    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / self.place / f"{self.arm}-{self.seed}.json"

    @property
    def config(self) -> CurriculumConfig:
        refresh = {"refresh": BATCH} if self.training and "estimator" in self.settings else {}
        return entrant(self.arm, {**self.settings, **refresh}).config

    @property
    def about(self) -> Settings:
        """What the run was told beyond the defaults: where those change, start a new folder."""
        settings = self.config.model_dump(mode="json", exclude_defaults=True)
        return {"settings": settings, "budget": self.budget}

    def kept(self) -> Play | None:
        """What the folder holds of this very run.

        Raises:
            ConfigError: it holds one of the same name with other settings.
        """
        if not self.path.exists():
            return None
        found = json.loads(self.path.read_text())
        if found["about"] != self.about:
            raise ConfigError(
                f"{self.path} is of other settings than {self.arm!r} has now; expected the same: "
                "remove the file, or name another folder with --output"
            )
        values = found["play"]
        return Play(**{**values, "curve": tuple(tuple(point) for point in values["curve"])})


def run(job: Job) -> None:
    """Play or train once, and keep what it measured."""
    logging.getLogger("curriculum_env.engine").setLevel(logging.ERROR)
    found = trained(job) if job.training else simulated(job)
    job.path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = job.path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(json.dumps({"about": job.about, "play": asdict(found)}))
    unfinished.replace(job.path)


def setting_of(place: str) -> Setting:
    """A small pool of the lab; in `small-noisy` one variant in five has a wrong answer."""
    if place == "small-noisy":
        return replace(SMALL_POOLS["small"], name=place, broken=0.2)
    return SMALL_POOLS[place]


def simulated(job: Job) -> Play:
    return play(job.arm, job.config, replace(setting_of(job.place), budget=job.budget), job.seed)


def trained(job: Job) -> Play:
    """Real training; every seed begins with the same schooled policy."""
    import torch
    from arithmetic_curriculum.sums import heldout_sums, sum_rows

    from curriculum_env.sim.tiny.run import Exam, Loop, train
    from curriculum_env.sim.tiny.warm import Schooling, schooled

    torch.set_num_threads(1)
    weights = POOLS[job.place]
    policy, exam = schooled(Schooling(steps=SCHOOLING)), Exam(heldout_sums(len(weights)))
    rows, loop = sum_rows(SUMS, weights, job.seed), Loop(budget=job.budget, seed=job.seed)
    return train(job.arm, job.config, job.place, rows, exam, policy, loop, make=variant).play()


def variant(item: Augmentation) -> Row | str:
    """A sum with other numbers, as the environment makes it; none is held out."""
    from arithmetic_curriculum.variants import vary_sum

    if item.kind == RECHECK:
        return "unchanged"
    longest = max(map(len, POOLS.values()))
    return vary_sum(item.source, item.kind, item.id, longest) or "no_task"


def carry_out(jobs: Sequence[Job], processes: int) -> list[Play]:
    """Run what is not done yet, in processes of one thread each, and read all results."""
    waiting = [job for job in jobs if job.kept() is None]
    with bar(len(waiting), Console(stderr=True)) as done:
        for _ in parallel.carry_out(run, waiting, processes):
            done()
    return [found for job in jobs if (found := job.kept()) is not None]


def jobs(args: argparse.Namespace) -> Iterator[Job]:
    """Seed by seed, so that what is there when time runs out can be compared."""
    every = {**ARMS, **MORE}
    for seed in range(args.first_seed, args.first_seed + args.seeds):
        for place in args.places:
            for arm in args.arms:
                if arm not in every:
                    raise ConfigError(f"no arm {arm!r}; expected one of {', '.join(every)}")
                yield Job(place, arm, seed, every[arm], args.budget, args.training, args.output)


# --- what is shown ---------------------------------------------------------------------------
Runs = Mapping[str, Mapping[int, Play]]


def by_arm(plays: Sequence[Play], place: str) -> Runs:
    found: dict[str, dict[int, Play]] = {}
    for one in plays:
        if one.setting == place:
            found.setdefault(one.entrant, {})[one.seed] = one
    return found


def above(runs: Runs, arm: str, other: str) -> list[float]:
    """[mean, low, high] of the final accuracy above another's on the same seeds."""
    mine, others = runs[arm], runs[other]
    found = bootstrap([mine[s].final - others[s].final for s in sorted(mine.keys() & others)])
    return [round(value, 4) for value in (found.mean, found.low, found.high)]


def figures(runs: Runs, arm: str) -> dict[str, Any]:
    """Means over seeds; `gained` is the final accuracy above that of our rule without variants."""
    mine = list(runs[arm].values())
    names = ("final", "area", "rho", "effective", "wasted", "variant_share", "wrong_share")
    counts = ("distinct", "variants")
    return {
        **{name: round(fmean(getattr(one, name) for one in mine), 4) for name in names},
        **{name: round(fmean(getattr(one, name) for one in mine)) for name in counts},
        "gained": above(runs, arm, NONE),
        "seeds": len(mine),
    }


def verdict(runs: Runs) -> dict[str, Any]:
    """All arms, and ours against the best form of HeaPA and against no variants."""
    found: dict[str, Any] = {arm: figures(runs, arm) for arm in runs}
    rivals = [arm for arm in runs if arm.startswith(HEAPA)]
    if OURS in runs:
        found["ours_above_none"] = above(runs, OURS, NONE)
        if rivals:
            best = max(rivals, key=lambda arm: found[arm]["final"])
            found |= {"best_heapa": best, "ours_above_heapa": above(runs, OURS, best)}
    return found


def table(place: str, found: Mapping[str, Any]) -> Table:
    """One line for each arm, the most accurate first."""
    shown = Table(box=None, header_style="bold", pad_edge=False)
    shown.add_column(place, no_wrap=True)
    for title in ("final", "above none", "mean", "ρ", "tasks", "variants", "their draws", "wrong"):
        shown.add_column(title, justify="right")
    arms = {arm: line for arm, line in found.items() if isinstance(line, dict)}
    for arm, line in sorted(arms.items(), key=lambda item: -item[1]["final"]):
        shown.add_row(
            arm,
            f"{line['final']:.3f}",
            "{:+.3f} [{:+.3f}, {:+.3f}]".format(*line["gained"]),
            f"{line['area']:.3f}",
            f"{line['rho']:.2f}",
            str(line["distinct"]),
            str(line["variants"]),
            f"{line['variant_share']:.0%}",
            f"{line['wrong_share']:.1%}",
        )
    return shown


def arguments() -> argparse.Namespace:
    def names(text: str) -> list[str]:
        return [part for part in text.split(",") if part]

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--lab", action="store_true", help="simulated policies")
    kind.add_argument("--training", action="store_true", help="the tiny policy, for real")
    parser.add_argument("--places", type=names, help="settings or pools, with commas")
    parser.add_argument("--arms", type=names, default=list(ARMS), help="names, with commas")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budget", type=int, help="rollouts of one run")
    parser.add_argument("--processes", type=int, default=0, help="0: one per core")
    parser.add_argument("--output", type=Path, default=Path("outputs/variants"))
    parser.add_argument("--quick", action="store_true", help="one place, four arms, one seed")
    args = parser.parse_args()
    if args.quick:
        args.arms, args.seeds, args.processes = [NONE, "ps+pa", "heapa-path", OURS], 1, 1
        args.output, args.budget = args.output / "quick", args.budget or 8_000
    args.places = args.places or list(POOLS if args.training else SMALL_POOLS)[: args.quick or None]
    args.budget = args.budget or (50_000 if args.training else SMALL_POOLS["small"].budget)
    if NONE not in args.arms:
        parser.error(f"--arms lacks {NONE!r}, with which the others are compared")
    return args


def main() -> None:
    args = arguments()
    plays, console, found = carry_out(list(jobs(args)), args.processes), wide(), {}
    for place in args.places:
        found[place] = verdict(by_arm(plays, place))
        console.print(table(place, found[place]))
    console.print(
        "final: accuracy on the held-out tasks at the end; above none: over our rule without "
        "variants; mean: over the run; their draws: share of the draws that were of variants; "
        "wrong: of variants with a wrong answer",
        style="dim",
    )
    print(json.dumps({"budget": args.budget, "places": found}))


if __name__ == "__main__":
    main()
