"""verifiers' command lines over one environment: evaluate, validate."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

MAINS = {
    "eval": "verifiers.v1.cli.eval.main",
    "validate": "verifiers.v1.cli.validate",
}


def call(name: str, *arguments: str, home: Path) -> None:
    """Run a command line to its end; what environments keep between runs goes under `home`."""
    code = f"from {MAINS[name]} import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"XDG_CACHE_HOME": str(home / "cache")},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def evaluate(taskset: str, policy: str, home: Path, *more: str) -> list[dict[str, Any]]:
    """The traces of one rollout for each task of the evaluation."""
    flags = ("--no-push", "--no-rich", "--run.name", "one", "--client.base-url", policy)
    call("eval", taskset, "-m", "scripted", "-o", str(home), *flags, *more, home=home)
    lines = (home / "one" / "traces.jsonl").read_text().splitlines()
    return [trace for line in lines for trace in json.loads(line)["traces"]]


def rewards(trace: dict[str, Any]) -> list[float]:
    """What a trace earned, by reward."""
    return [reward["score"] * reward["weight"] for reward in trace["rewards"].values()]


def validate(taskset: str, home: Path, *more: str) -> dict[str, Any]:
    """The summary of checking tasks against their own answers, and against no answer."""
    flags = ("--runtime.type", "subprocess", "--no-rich", "-o", str(home))
    call("validate", taskset, *flags, *more, home=home)
    (summary,) = home.rglob("summary.json")
    read: dict[str, Any] = json.loads(summary.read_text())
    return read
