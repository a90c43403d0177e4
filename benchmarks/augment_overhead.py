"""What making new tasks costs the rollouts: rollouts per second with augmentation on over off.

Two servers of the same tasks, graders and scripted policy, one of whose clients makes variants in a
thread beside its draws; the policy takes a second to write one, as a small model would. Blocks
alternate as in `overhead.py`, and the figures are its: `ratio` by the clock, `cpu_ratio` by
processor time. Twice: with a teacher that answers, and (`down_...`) with one that is down.
`variants` is how many there were in the end. The last line is one JSON object.

    PYTHONPATH=. python benchmarks/augment_overhead.py [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from contextlib import closing
from operator import attrgetter
from pathlib import Path
from typing import Any

from benchmarks.overhead import compare, interval, speed
from curriculum_env.store import open_store
from curriculum_env.testing.serving import env_config

NOBODY = {"type": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "none"}


def measured(folder: Path, rounds: int, augment: dict[str, Any]) -> dict[str, float]:
    """The ratios, and how many variants there were."""
    sides = []
    for name, enabled in (("on", True), ("off", False)):
        url = f"sqlite:///{folder / name}.db"
        curriculum = {"group_size": 8, "augment": {"enabled": enabled, **augment}}
        sides.append(env_config("coins", task={"store": url}, writing=1.0, curriculum=curriculum))
    times = asyncio.run(compare(rounds, *sides))
    figures: dict[str, float] = {}
    for name, seconds in (("", "wall"), ("cpu_", "cpu")):
        ratio, low, high = interval(speed(times, attrgetter(seconds)))
        figures |= {f"{name}ratio": ratio, f"{name}ratio_low": low, f"{name}ratio_high": high}
    with closing(open_store(f"sqlite:///{folder / 'on'}.db")) as opened:
        states = opened.queue.counts().states
    return {**figures, "variants": states["inserted"] + states["accepted"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1 round of blocks instead of 20")
    rounds = 1 if parser.parse_args().quick else 20
    figures: dict[str, float] = {}
    for name, augment in (("", {}), ("down_", {"teacher": NOBODY})):
        with tempfile.TemporaryDirectory() as folder:
            found = measured(Path(folder), rounds, augment)
        figures |= {f"{name}{key}": value for key, value in found.items()}
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
