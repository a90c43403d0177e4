"""What making new tasks costs the rollouts: rollouts per second with augmentation on over off.

Two servers of the same tasks, graders and scripted policy, one of whose clients makes variants in a
thread beside its draws; the policy takes a second to write one, as a small model would. Blocks
alternate as in `overhead.py`, and the figures are its: `ratio` by the clock, `cpu_ratio` by
processor time. Twice: with a teacher that answers, and (`down_...`) with one that is down.
`variants` is how many a pair had in the end. The last line is one JSON object.

    PYTHONPATH=. python benchmarks/augment_overhead.py [--pairs 12] [--rounds 15]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any

import verifiers.v1 as vf

from benchmarks.overhead import Sides, compare, ratios
from curriculum_env.store import open_store
from curriculum_env.testing.serving import env_config

NOBODY = {"type": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "none"}


def sides(store: Path, augment: dict[str, Any]) -> Sides:
    """One that makes variants as `augment` says, and one that makes none."""

    def side(path: Path, **augment: Any) -> vf.EnvConfig:
        curriculum = {"group_size": 8, "augment": augment}
        task = {"store": f"sqlite:///{path}"}
        return env_config("coins", task=task, writing=1.0, curriculum=curriculum)

    return side(store, enabled=True, **augment), side(store.with_suffix(".off"), enabled=False)


def variants(store: Path) -> int:
    with closing(open_store(f"sqlite:///{store}")) as opened:
        states = opened.queue.counts().states
    return states["inserted"] + states["accepted"]


def measured(augment: dict[str, Any], pairs: int, rounds: int) -> dict[str, float]:
    """The ratios, and how many variants a pair had in the end."""
    with tempfile.TemporaryDirectory() as folder:
        stores = [Path(folder) / f"{pair}.db" for pair in range(pairs)]
        figures = ratios(compare((sides(store, augment) for store in stores), rounds))
        return {**figures, "variants": mean(map(variants, stores))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=12, help="of freshly started servers")
    parser.add_argument("--rounds", type=int, default=15, help="of four blocks each, in a pair")
    settings = parser.parse_args()
    figures: dict[str, float] = {}
    for name, augment in (("", {}), ("down_", {"teacher": NOBODY})):
        found = measured(augment, settings.pairs, settings.rounds)
        figures |= {f"{name}{key}": value for key, value in found.items()}
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
