"""Finds the lab's tuned column: settings for each rule by random search, on seeds the lab never
uses, and writes them to curriculum_env/sim/tuned.json.

    python benchmarks/lab_search.py --candidates 8 --seeds 1 --budget 48000

Every rule gets the same number of candidates, its defaults being the first; the best of them is the
one of the largest area under the curve in the mean over the seven settings.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

from rich.console import Console

from curriculum_env.cli.lab_report import bar
from curriculum_env.sim import SETTINGS, entrants
from curriculum_env.sim.entrants import TUNED, UNIFORM
from curriculum_env.sim.search import search


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--candidates", type=int, default=8, help="tried for each rule")
    parser.add_argument("--seeds", type=int, default=1, help="worlds per setting")
    parser.add_argument("--budget", type=int, default=48_000, help="rollouts of one run")
    parser.add_argument("--processes", type=int, default=0, help="0: one per core")
    parser.add_argument("--rules", nargs="*", help="only these; the others are kept as they are")
    args = parser.parse_args()
    fixed = (UNIFORM, "sequential")
    rules = [e for e in entrants().values() if e.kind == "rule" and e.name not in fixed]
    rules = [rule for rule in rules if not args.rules or rule.name in args.rules]
    settings = [replace(setting, budget=args.budget) for setting in SETTINGS.values()]
    runs = len(rules) * args.candidates * len(settings) * args.seeds
    with bar(runs, Console(stderr=True)) as done:
        found = search(rules, settings, args.candidates, args.seeds, args.processes, done)
    kept = json.loads(TUNED.read_text())["rules"] if args.rules and TUNED.exists() else {}
    command = (
        f"python benchmarks/lab_search.py --candidates {args.candidates} --seeds {args.seeds} "
        f"--budget {args.budget}"
    )
    text = json.dumps({"command": command, "rules": {**kept, **found}}, indent=1, sort_keys=True)
    TUNED.write_text(text + "\n")
    print(json.dumps({"rules": len(found), "runs": runs}))


if __name__ == "__main__":
    main()
