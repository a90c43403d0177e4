from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "store.py"


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_killed_writers_lose_and_double_nothing(
    backend: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(f"{backend}_url")
    command = [sys.executable, BENCHMARK, "--backend", backend, "--url", url]
    options = ["--writers", "5", "--outcomes", "5000"]
    result = subprocess.run(
        [*command, *options], capture_output=True, text=True, timeout=240, check=False
    )
    assert result.returncode == 0, result.stderr
    last = json.loads(result.stdout.splitlines()[-1])
    assert last["lost"] == last["duplicated"] == 0
    assert 1000 < last["acknowledged"] <= last["seen"] <= 5000
