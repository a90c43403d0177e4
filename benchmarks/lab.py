"""Our default against every other rule, in seven settings, on simulated policies that learn.

Each run trains a policy for 48,000 rollouts on a pool of 4,000 tasks through the real engine; every
rule trains on the same worlds, one per seed. The target of a seed is the accuracy that uniform
drawing ends with; a rule that never reaches it counts as having needed the whole budget. A star
marks a rule with the settings that a random search on other seeds found best for it. `oracle` sees
the policy and `uniform-live` the dead tasks: they are no competitors.

    python benchmarks/lab.py --seeds 10 --output outputs/lab
    python benchmarks/lab.py --quick

The last line is one JSON object: per setting the rollouts to the target over those of uniform and
of the best other rule, mean over seeds and 95% interval.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from curriculum_env.cli.lab_report import Report, bar, show_report, wide, write_json, write_plot
from curriculum_env.sim import SETTINGS, Setting, run_lab
from curriculum_env.sim.entrants import DEFAULT, UNIFORM, Entrant, entrants, tuned
from curriculum_env.sim.summary import Interval, Standings, Verdict, verdict

QUICK = (DEFAULT, UNIFORM, "mopps", "speed", "staged", "thompson", "pr-grpo", "dots", "oracle")


def quick(settings: Sequence[Setting]) -> list[Setting]:
    """A third of the pool and of the budget."""
    return [replace(s, tasks=s.tasks // 3, budget=s.budget // 3) for s in settings]


def as_json(found: Verdict) -> dict[str, Any]:
    def interval(value: Interval) -> list[float]:
        return [round(number, 4) for number in (value.mean, value.low, value.high)]

    return {
        "vs_uniform": interval(found.vs_uniform),
        "vs_best_other": interval(found.vs_best_other),
        "best_other": found.best_other,
        "worst_domain_delta": interval(found.worst_domain_delta),
        "distinct": round(found.distinct),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="worlds per setting")
    parser.add_argument("--processes", type=int, default=0, help="0: one per core")
    parser.add_argument("--output", type=Path, help="folder for lab.json and lab.png")
    parser.add_argument("--quick", action="store_true", help="2 small worlds, nine entrants")
    args = parser.parse_args()
    everyone: dict[str, Entrant] = {**entrants(), **tuned()}
    settings, seeds = list(SETTINGS.values()), args.seeds
    if args.quick:
        everyone = {name: everyone[name] for name in QUICK}
        settings, seeds = quick(settings), 2
    start = time.monotonic()
    with bar(len(everyone) * len(settings) * seeds, Console(stderr=True)) as done:
        plays, refused = run_lab(
            list(everyone.values()), settings, range(seeds), args.processes, done
        )
    report = Report(Standings(plays), tuple(refused))
    show_report(report, wide())
    if args.output:
        write_json(report, args.output)
        write_plot(report, args.output)
    others = [
        name
        for name, found in everyone.items()
        if found.kind in ("rule", "tuned") and found.config != everyone[DEFAULT].config
    ]
    verdicts = [verdict(report.standings, s.name, DEFAULT, others) for s in settings]
    result = {
        "seeds": seeds,
        "entrants": len(everyone),
        "seconds": round(time.monotonic() - start),
        "cores": os.cpu_count(),
        "settings": {found.setting: as_json(found) for found in verdicts},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
