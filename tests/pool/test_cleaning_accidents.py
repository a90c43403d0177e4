"""A build that is killed, begun twice, or short of a worker or of disk."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.errors import ConfigError, PoolError
from curriculum_env.pool.cleaning import BuildReport, BuildSettings, build_pool
from curriculum_env.pool.cleaning.steps import Steps
from tests.pool.building import numbered, same, write


def test_kill_minus_nine_loses_nothing(tmp_path: Path) -> None:
    source = write(tmp_path / "many.jsonl", numbered(4500))
    build_pool(BuildSettings((source,)), tmp_path / "whole", processes=1)
    command = [sys.executable, "-m", "curriculum_env.cli", "pool", "build", source]
    command += ["--output", str(tmp_path / "cut"), "--processes", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (shards := sorted((tmp_path / "cut").rglob("*.arrow"))):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) >= 2
    process.send_signal(signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 30
    while any(Path("/proc", child).exists() for child in children):
        assert time.monotonic() < deadline, "its processes outlive it"
        time.sleep(0.05)
    assert not (tmp_path / "cut" / "report.json").exists()
    written = shards[0].stat().st_mtime_ns
    seen: list[int] = []
    steps = Steps(BuildSettings((source,)), tmp_path / "cut", parts=1)
    assert shards[0].is_relative_to(steps.work)
    original = Steps.finish

    def finish(self: Steps, *arguments: Any) -> BuildReport:
        seen.append(shards[0].stat().st_mtime_ns)
        return original(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Steps, "finish", finish)
        build_pool(BuildSettings((source,)), tmp_path / "cut", processes=1)
    assert seen == [written]
    assert same(tmp_path / "whole", tmp_path / "cut")


def test_another_setting_or_another_file_begins_anew(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", numbered(10))
    one = BuildSettings((source,))
    assert one.digest() == BuildSettings((source,)).digest()
    assert one.digest() != BuildSettings((source,), near=False).digest()
    before = one.digest()
    write(tmp_path / "a.jsonl", numbered(11))
    assert one.digest() != before


def test_a_second_build_into_one_folder_is_refused(tmp_path: Path) -> None:
    settings = BuildSettings((write(tmp_path / "a.jsonl", numbered(5)),))
    with (
        Steps(settings, tmp_path / "out", 1).alone(),
        pytest.raises(ConfigError, match="another build is writing"),
    ):
        build_pool(settings, tmp_path / "out", processes=1)
    assert build_pool(settings, tmp_path / "out", processes=1).kept == 5


def test_a_worker_that_dies_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from concurrent.futures.process import BrokenProcessPool

    def die(*_: Any) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(Steps, "compare_exact", die)
    settings = BuildSettings((write(tmp_path / "a.jsonl", numbered(3)),))
    with pytest.raises(PoolError, match="a process of the build died"):
        build_pool(settings, tmp_path / "out", processes=1)


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Steps, "compare_exact", full)
    settings = BuildSettings((write(tmp_path / "a.jsonl", numbered(3)),))
    with pytest.raises(ConfigError, match="No space left on device"):
        build_pool(settings, tmp_path / "out", processes=1)
