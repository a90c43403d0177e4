"""Our default against every other rule, in seven settings, on simulated policies that learn.

Each run trains a policy for 48,000 rollouts on a pool of 4,000 tasks through the real engine; every
rule trains on the same worlds, one per seed. The target of a seed is the accuracy that uniform
drawing ends with; a rule that never reaches it counts as having needed the whole budget. A star
marks a rule with the settings that a random search on other seeds found best for it. `oracle` sees
the policy and `uniform-live` the dead tasks: they are no competitors.

    python benchmarks/lab.py --seeds 10 --output outputs/lab
    python benchmarks/lab.py --seeds 10 --everyone 3 --output outputs/lab --results FILE
    python benchmarks/lab.py --quick

The output folder keeps every run: a comparison that was stopped goes on where it was (empty it
after a change to a rule). With `--everyone`, only the best rules of each setting play the further
seeds, beside the default, uniform drawing and the references: the table then has fewer seeds of the
others, and the verdict compares with the best of those that played all.

The last line is one JSON object: per setting the rollouts to the target over those of uniform and
of the best other rule, mean over seeds and 95% interval. Other rules are the published ones, by
their defaults and as tuned; the rules of this package beside the default's are compared on their
own (`vs_best_own`).
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from curriculum_env.cli.lab_report import Report, bar, show_report, wide, write_json, write_plot
from curriculum_env.sim import SETTINGS, Play, Setting, run_lab
from curriculum_env.sim.entrants import DEFAULT, UNIFORM, Entrant, entrants, tuned
from curriculum_env.sim.kept import Refused
from curriculum_env.sim.summary import Interval, Standings, Verdict, verdict

Entrants = Mapping[str, Entrant]
FRONT = 6
QUICK = (
    *(DEFAULT, UNIFORM, "survival", "mopps", "speed", "staged", "thompson", "pr-grpo", "dots"),
    "oracle",
)


def quick(settings: Sequence[Setting]) -> list[Setting]:
    """A third of the pool and of the budget."""
    return [replace(s, tasks=s.tasks // 3, budget=s.budget // 3) for s in settings]


def as_json(found: Verdict, own: Verdict) -> dict[str, Any]:
    """The verdict against published rules, and that against our own."""

    def interval(value: Interval) -> list[float]:
        return [round(number, 4) for number in (value.mean, value.low, value.high)]

    return {
        "vs_uniform": interval(found.vs_uniform),
        "vs_best_other": interval(found.vs_best_other),
        "best_other": found.best_other,
        "worst_domain_delta": interval(found.worst_domain_delta),
        "distinct": round(found.distinct),
        "vs_best_own": interval(own.vs_best_other),
        "best_own": own.best_other,
    }


def finalists(standings: Standings, setting: str, everyone: Entrants) -> list[Entrant]:
    """The default, uniform drawing, the references, and the best `FRONT` of the published rules and
    of our own."""
    names = [line.entrant for line in standings.lines(setting)]
    others = [
        name
        for ours in (False, True)
        for name in [n for n in names if n in competitors(everyone, ours=ours)][:FRONT]
    ]
    fixed = [name for name in names if name in (DEFAULT, UNIFORM)]
    references = [name for name in names if everyone[name].kind == "reference"]
    return [everyone[name] for name in (*fixed, *references, *others)]


def competitors(everyone: Entrants, *, ours: bool = False) -> list[str]:
    """Who is to be beaten: every published rule, by default and as tuned; or else the rules of this
    package but those of the very settings of the default."""
    return [
        name
        for name, found in everyone.items()
        if found.kind in ("rule", "tuned")
        and found.ours == ours
        and found.config != everyone[DEFAULT].config
    ]


def compare(
    everyone: Entrants, settings: Sequence[Setting], args: argparse.Namespace
) -> tuple[list[Play], list[Refused]]:
    """Play what has not been played."""
    folder = args.output and args.output / "runs"
    first = min(args.everyone or args.seeds, args.seeds)
    with bar(len(everyone) * len(settings) * first, Console(stderr=True)) as done:
        plays, refused = run_lab(
            list(everyone.values()), settings, range(first), args.processes, done, folder
        )
    if first < args.seeds:
        standings = Standings(plays)
        chosen = {s.name: finalists(standings, s.name, everyone) for s in settings}
        runs = sum(map(len, chosen.values())) * (args.seeds - first)
        with bar(runs, Console(stderr=True)) as done:
            for setting in settings:
                seeds, those = range(first, args.seeds), chosen[setting.name]
                more, _ = run_lab(those, [setting], seeds, args.processes, done, folder)
                plays += more
    return plays, refused


def full(standings: Standings, setting: str, names: Sequence[str], seeds: int) -> list[str]:
    """Those of the names that played every seed of a setting."""
    played = standings.plays(setting)
    return [name for name in names if len(played.get(name, ())) == seeds]


def judged(standings: Standings, setting: str, everyone: Entrants, seeds: int) -> dict[str, Any]:
    """The verdicts on the default in one setting, against published rules and our own."""
    found = (
        verdict(standings, setting, DEFAULT, full(standings, setting, names, seeds))
        for names in (competitors(everyone), competitors(everyone, ours=True))
    )
    return as_json(*found)


def published(report: Report, verdicts: Mapping[str, Any], seeds: int) -> dict[str, Any]:
    """What the documentation shows: the verdicts, and every entrant in every setting."""
    found: dict[str, dict[str, Any]] = {}
    for setting in report.standings.settings:
        for line in report.standings.lines(setting):
            found.setdefault(line.entrant, {})[setting] = {
                "seeds": line.seeds,
                "vs_uniform": [round(x, 3) for x in astuple(line.vs_uniform)],
                "reached": round(line.reached, 3),
                "gained": round(line.gained.mean, 4),
                "worst_domain": round(line.worst_domain_delta.mean, 4),
                "rho": round(line.rho, 3),
                "distinct": round(line.distinct),
            }
    return {"seeds": seeds, "settings": verdicts, "entrants": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="worlds per setting")
    parser.add_argument("--everyone", type=int, help="worlds that all play; unset, --seeds")
    parser.add_argument("--processes", type=int, default=0, help="0: one per core")
    parser.add_argument("--output", type=Path, help="folder for lab.json, lab.png and the runs")
    parser.add_argument("--results", type=Path, help="file of the figures that the docs show")
    parser.add_argument("--quick", action="store_true", help="2 small worlds, ten entrants")
    args = parser.parse_args()
    everyone: Entrants = {**entrants(), **tuned()}
    settings = list(SETTINGS.values())
    if args.quick:
        everyone = {name: everyone[name] for name in QUICK}
        settings, args.seeds = quick(settings), 2
    start = time.monotonic()
    plays, refused = compare(everyone, settings, args)
    report = Report(Standings(plays), tuple(refused))
    show_report(report, wide())
    if args.output:
        write_json(report, args.output)
        write_plot(report, args.output)
    verdicts = {s.name: judged(report.standings, s.name, everyone, args.seeds) for s in settings}
    if args.results:
        figures = published(report, verdicts, args.seeds)
        args.results.write_text(json.dumps(figures) + "\n")
    result = {
        "seeds": args.seeds,
        "entrants": len(everyone),
        "seconds": round(time.monotonic() - start),
        "cores": os.cpu_count(),
        "settings": verdicts,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
