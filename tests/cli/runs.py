"""Runs of the test tasksets, and what they leave in their folder."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from verifiers.v1.episode import WireEpisode

from curriculum_env.store import open_store
from tests.cli.conftest import Served

GROUPS, SIZE = 6, 4


def arguments(served: Served, folder: Path, taskset: str = "coins", **more: Any) -> list[str]:
    options = {"groups": GROUPS, "group-size": SIZE, "base-url": served.url, "model": "scripted"}
    flags = {**options, **more, "output": folder}
    return ["run", taskset, *(f"--{name}={value}" for name, value in flags.items())]


def episodes(folder: Path) -> list[Any]:
    lines = (folder / "traces.jsonl").read_bytes().splitlines()
    return [WireEpisode.model_validate_json(line) for line in lines]


def report(folder: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return summary


def draws(folder: Path) -> list[tuple[int, str]]:
    with closing(open_store(f"sqlite:///{folder}/curriculum.db")) as store:
        return [(draw.number, draw.uid) for draw in store.draws()]


def recorded(folder: Path) -> Counter[tuple[int, str]]:
    with closing(open_store(f"sqlite:///{folder}/curriculum.db")) as store:
        return Counter((outcome.draw, outcome.status) for outcome in store.reader().read())
