"""The overhead benchmarks in their quick form: that they run, and that rollouts go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "ratios"), [("overhead", ["ratio"]), ("augment_overhead", ["ratio", "down_ratio"])]
)
def test_rollouts_go_on_about_as_fast(name: str, ratios: list[str]) -> None:
    command = [sys.executable, f"benchmarks/{name}.py", "--pairs", "1", "--rounds", "3"]
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    last = json.loads(result.stdout.splitlines()[-1])
    for ratio in ratios:
        assert last[f"{ratio}_low"] <= last[ratio] <= last[f"{ratio}_high"]
        assert last[ratio] > 0.3  # one pair beside other tests: no figure
