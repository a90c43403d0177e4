from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from verifiers.v1.episode import WireEpisode

from curriculum_env.cli import settings
from curriculum_env.testing.policy import Outage
from curriculum_env.testing.serving import TASKSETS
from tests.cli.conftest import HERE, Cli, Served, refused
from tests.cli.runs import GROUPS, SIZE, arguments, draws, episodes, recorded, report


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", "from curriculum_env.cli import main; main()", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([TASKSETS, HERE, *sys.path])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def wait_for(condition: Any, seconds: float = 150.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def paced(served: Served, folder: Path, delay: float, **more: Any) -> list[str]:
    settings = {"groups": 50, "concurrency": 6, "set": f"taskset.delay={delay}", **more}
    return arguments(served, folder, "paced-coins", **settings)


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_finishes_what_is_in_flight_and_sums_up(
    cli: Cli, served: Served, tmp_path: Path, workers: int
) -> None:
    with running(*paced(served, tmp_path, 0.3, workers=workers)) as process:
        wait_for(lambda: served.policy.calls >= 8)
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 130
    assert "Interrupted." in out
    assert f"go on with `curriculum-env run --resume --output {tmp_path}`" in out
    assert "Traceback" not in out
    played = episodes(tmp_path)
    assert all(episode.ok for episode in played)
    assert len(played) == served.policy.calls == report(tmp_path)["rollouts"] < 50 * SIZE
    before = draws(tmp_path)
    total = len(before) + 1
    done = cli("run", "--resume", f"--output={tmp_path}", f"--groups={total}", "--workers=0")
    assert done.code == 0
    assert draws(tmp_path)[: len(before)] == before
    assert len(episodes(tmp_path)) == served.policy.calls == total * SIZE


def test_a_second_ctrl_c_cancels_what_is_in_flight(served: Served, tmp_path: Path) -> None:
    with running(*paced(served, tmp_path, 30.0, workers=2)) as process:
        wait_for(lambda: served.policy.calls >= 6)
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 130
    assert "Traceback" not in out
    assert report(tmp_path)["rollouts"] == 0
    assert {status for _, status in recorded(tmp_path)} == {"cancelled"}
    assert sum(recorded(tmp_path).values()) == 6


def test_a_terminated_run_sums_up_too(served: Served, tmp_path: Path) -> None:
    with running(*paced(served, tmp_path, 30.0)) as process:
        wait_for(lambda: served.policy.calls >= 6)
        process.terminate()
        process.communicate(timeout=150)
    assert process.returncode == 130
    assert report(tmp_path)["draws"] == 2


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_run_goes_on_without_paying_twice(
    cli: Cli, served: Served, tmp_path: Path, workers: int
) -> None:
    concurrency = 6
    with running(*paced(served, tmp_path, 0.1, workers=workers)) as process:
        wait_for(lambda: served.policy.calls >= 40)
        process.kill()
        process.wait()
    time.sleep(0.5)
    finished = {e.id for line in _whole_lines(tmp_path) if (e := line).ok}
    before, paid = draws(tmp_path), served.policy.calls
    assert finished
    assert paid - len(finished) <= 2 * concurrency
    total = len(before) + 1
    done = cli("run", "--resume", f"--output={tmp_path}", f"--groups={total}", "--workers=0")
    assert done.code == 0
    assert draws(tmp_path)[: len(before)] == before
    played = episodes(tmp_path)
    assert finished <= {episode.id for episode in played}
    assert len(played) == total * SIZE
    assert served.policy.calls == paid + total * SIZE - len(finished)


def _whole_lines(folder: Path) -> list[Any]:
    text = (folder / "traces.jsonl").read_bytes()
    return [WireEpisode.model_validate_json(line) for line in text.split(b"\n")[:-1]]


def test_a_worker_that_dies_is_replaced(served: Served, tmp_path: Path) -> None:
    with running(*paced(served, tmp_path, 0.2, workers=2, groups=20)) as process:
        wait_for(lambda: served.policy.calls >= 12)
        victim = _children(process.pid)[-1]
        os.kill(victim, signal.SIGKILL)
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 3, out
    assert "exit code -9" in out
    summary = report(tmp_path)
    assert f"{summary['errors']} rollouts failed and are owed" in out
    assert 1 <= summary["errors"] <= 6
    assert summary["rollouts"] + summary["errors"] == 20 * SIZE
    assert len(episodes(tmp_path)) == summary["rollouts"]


def test_an_endpoint_that_dies_leaves_a_debt_that_the_hinted_command_pays(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    served.policy.outage = Outage(start=60, errors=10**6, wrong=0)
    options: dict[str, Any] = {"groups": 40, "set": 'agent.harness={id="coins",max_retries=0}'}
    with running(*arguments(served, tmp_path, **options)) as process:
        out, _ = process.communicate(timeout=150)
    assert process.returncode == 3, out
    failed = report(tmp_path)["errors"]
    assert failed == 40 * SIZE - 60
    assert f"{failed} rollouts failed and are owed" in out
    assert out.count("model call failed") == 2
    assert f"{failed - 1} more like: model call failed" in out
    assert _outages(cli, tmp_path) == [False]
    served.policy.outage = None
    command = re.search(r"go on with `curriculum-env (.*)`", out)
    assert command is not None
    done = cli(*shlex.split(command[1]))
    assert (done.code, done.err) == (0, "")
    assert (report(tmp_path)["rollouts"], report(tmp_path)["errors"]) == (40 * SIZE, 0)
    assert _outages(cli, tmp_path) == [True]


def _outages(cli: Cli, folder: Path) -> list[bool]:
    """Whether each outage is over, as `status` tells it."""
    found = json.loads(cli("status", folder, "--json").out)["outages"]
    return [outage["ended"] is not None for outage in found]


def _children(pid: int) -> list[int]:
    """The worker processes of a run, by rising process id."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (entry / "stat").exists():
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes()
            if int(fields[1]) == pid and b"spawn_main" in command:
                found.append(int(entry.name))
    return sorted(found)


# --- where nothing more can be written -------------------------------------------------------
def test_a_full_disk_ends_the_run_as_ctrl_c_does(cli: Cli, served: Served, tmp_path: Path) -> None:
    traces = tmp_path / "traces.jsonl"
    traces.symlink_to("/dev/full")
    ended = cli(*arguments(served, tmp_path, groups=50, concurrency=4))
    refused(ended, "traces.jsonl", "No space left on device", "--resume")
    assert "pass rate" in ended.out
    assert "go on with `curriculum-env run --resume" in ended.out
    paid = served.policy.calls
    assert report(tmp_path)["rollouts"] == paid < 50 * SIZE
    traces.unlink()
    drawn = len(draws(tmp_path))
    done = cli("run", "--resume", f"--output={tmp_path}", f"--groups={drawn}")
    assert done.code == 0
    assert len(episodes(tmp_path)) == drawn * SIZE


def test_a_report_that_cannot_be_written_is_printed_all_the_same(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    (tmp_path / "report.json").symlink_to("/dev/full")
    ended = cli(*arguments(served, tmp_path))
    refused(ended, "report.json cannot be written")
    assert "pass rate" in ended.out
    assert len(episodes(tmp_path)) == GROUPS * SIZE


def test_a_run_leaves_the_difficulty_of_the_whole_pool(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    assert cli(*arguments(served, tmp_path)).code == 0
    table = {row["uid"]: row for row in pq.read_table(tmp_path / "difficulty.parquet").to_pylist()}
    assert len(table) == 2000
    drawn = Counter(uid for _, uid in draws(tmp_path))
    assert {uid: row["rollouts"] for uid, row in table.items() if row["visits"]} == {
        uid: times * SIZE for uid, times in drawn.items()
    }
    assert json.loads((tmp_path / "difficulty.json").read_text())["rows"] == 2000


def test_the_output_may_begin_at_home(
    cli: Cli, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert cli(*arguments(served, Path("~/run"))).code == 0
    assert len(draws(tmp_path / "run")) == GROUPS
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run"]


def test_a_saved_run_that_lacks_settings_is_refused(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    settings.save({"env": {"taskset": {"id": "coins"}}}, tmp_path)
    refused(cli(*arguments(served, tmp_path), "--resume"), "was started with")
