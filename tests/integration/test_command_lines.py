"""verifiers' own command lines over a curriculum: evaluate, resume, replay, validate."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.adapters.playing import rows_in

MAINS = {"eval": "verifiers.v1.cli.eval.main", "replay": "verifiers.v1.cli.replay",
         "validate": "verifiers.v1.cli.validate"}  # fmt: skip
KILL_AFTER = 3


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", f"from {MAINS[name]} import main; main()", *arguments]


def verifiers(name: str, *arguments: str) -> None:
    done = subprocess.run(command(name, *arguments), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def evaluate(taskset: str, store: str, policy: str, out: Path, *more: str) -> list[str]:
    return [
        taskset, "-m", "scripted", "-o", str(out), "--run.name", "one", "--no-push", "--no-rich",
        "--client.base-url", policy, "--env.taskset.task.store", store, *more,
    ]  # fmt: skip


def slow(prompt: str) -> str:
    time.sleep(0.1)
    return "right"


def episodes_in(run: Path) -> list[dict[str, Any]]:
    traces = run / "traces.jsonl"
    if not traces.exists():
        return []
    return [json.loads(line) for line in traces.read_text().splitlines() if line.endswith("}")]


@pytest.mark.parametrize("inner", ["finite-words", "keyed-words"])
def test_eval_records_and_replay_does_not(
    inner: str, shared: str, policy: str, tmp_path: Path
) -> None:
    wrap = ("--env.taskset.inner.id", inner, "-n", "2", "-r", "2")
    verifiers("eval", *evaluate("curriculum-wrap", shared, policy, tmp_path, *wrap))
    assert [(row.status, row.reward) for row in rows_in(shared)] == [("ok", 1.0)] * 4
    verifiers("replay", str(tmp_path / "one"), "-o", str(tmp_path / "again"), "--no-rich")
    assert len(episodes_in(tmp_path / "again")) == 4
    assert len(rows_in(shared)) == 4


def test_validate_leaves_no_row(shared: str, tmp_path: Path) -> None:
    verifiers(
        "validate", "coins", "-n", "2", "--runtime.type", "subprocess", "--no-rich",
        "-o", str(tmp_path / "validated"), "--taskset.task.store", shared,
    )  # fmt: skip
    assert rows_in(shared) == []


def test_a_killed_eval_resumes_with_its_finished_work(shared: str, tmp_path: Path) -> None:
    """Draws come back from the log with the same data, so verifiers finds what it has."""
    with serve_policy(ScriptedPolicy(answer=slow)) as policy:
        more = ("-n", "4", "-r", "2", "-c", "1", "--env.taskset.count", "20")
        arguments = evaluate("coins", shared, policy, tmp_path, *more)
        run = tmp_path / "one"
        killed = subprocess.Popen(command("eval", *arguments), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)  # fmt: skip
        deadline = time.monotonic() + 90
        while len(episodes_in(run)) < KILL_AFTER and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        before = {episode["id"] for episode in episodes_in(run)}
        assert KILL_AFTER <= len(before) < 8
        verifiers("eval", "@", str(run / "configs" / "resolved" / "eval.json"), "--resume")
    after = episodes_in(run)
    assert len(after) == 8
    assert before <= {episode["id"] for episode in after}
    assert len({episode["task"]["data"]["curriculum"]["draw"] for episode in after}) == 4
