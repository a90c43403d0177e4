from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.local.test_policy import needs_model


@needs_model
def test_a_real_model_is_run_against(tmp_path: Path) -> None:
    flags = ["--policy=smollm2", "--groups=3", "--group-size=4", "--max-tokens=8"]
    pool = ["--set", "taskset.levels=[1]", "--set", "taskset.size=20"]
    command = [sys.executable, "-m", "curriculum_env.cli", "run", "arithmetic-curriculum"]
    done = subprocess.run(
        [*command, *flags, *pool, f"--output={tmp_path}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["rollouts"], report["errors"], report["in_flight"]) == (12, 0, 0)
    assert 12 <= report["tokens"] <= 12 * 8
    replies = [json.loads(line) for line in (tmp_path / "traces.jsonl").read_text().splitlines()]
    assert len({episode["id"] for episode in replies}) == 12
    assert "uniform drawing" in done.stdout
