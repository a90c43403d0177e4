"""New tasks made beside a run, in its own process and in another."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from curriculum_env.adapters.verifiers.augmenting import restored
from curriculum_env.errors import ConfigError
from curriculum_env.store import open_store
from tests.cli.conftest import Cli, Served, cli, refused, served
from tests.cli.runs import arguments, report

__all__ = ["cli", "served"]

AUGMENT = "--set=taskset.curriculum.augment"
ON = (
    f"{AUGMENT}.enabled=true",
    f"{AUGMENT}.backlog=8",
    "--set=taskset.count=12",
    "--concurrency=4",
)
TOLD = ("new tasks: ", "their cost: ", "their service: ")
ELSEWHERE = (*ON, f"{AUGMENT}.service=process")


def drawn(folder: Path) -> tuple[set[str], set[str]]:
    """The uids that were drawn, and those of the variants."""
    with closing(open_store(f"sqlite:///{folder}/curriculum.db")) as store:
        made = {item.child.uid for item in store.queue.items() if item.child is not None}
        return {draw.uid for draw in store.draws()}, made


def test_tasks_are_made_drawn_told_of_and_exported(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    done = cli(*arguments(served, folder, groups=40), *ON)
    assert (done.code, done.err) == (0, "")
    for groups in (80, 120, 160, 200, 240):  # the service may be slower than the draws
        seen, made = drawn(folder)
        if seen & made:
            break
        done = cli("run", "--resume", f"--output={folder}", f"--groups={groups}")
        assert done.code == 0
    seen, made = drawn(folder)
    assert seen & made, "variants are drawn in the run that made them"
    told = cli("status", folder).out
    summed_up = [line for line in done.out.splitlines() if line.startswith(TOLD)]
    assert len(summed_up) == 3
    assert [line for line in told.splitlines() if line.startswith(TOLD[:2])] == summed_up[:2]
    assert "their service: stopped" in told
    found: dict[str, Any] = json.loads(cli("status", folder, "--json").out)["variants"]
    assert found["states"]["inserted"] + found["states"]["accepted"] == len(made)
    assert found["requests"] > 0
    assert report(folder)["variants"] == found
    out = tmp_path / "made.parquet"
    done = cli("export", folder, out, "--variants")
    assert done.out == f"Wrote {len(made)} tasks to {out}.\n"
    table = pq.read_table(out).to_pylist()
    assert {line["uid"] for line in table} == made
    by_uid = {line["uid"]: line for line in table}
    for line in table:
        parent = by_uid.get(line["parent"])
        assert line["generation"] == (parent["generation"] + 1 if parent else 1)
        assert line["root"] == (parent["root"] if parent else line["parent"])
        assert (line["policy"], line["teacher"]) == ("scripted", "symbolic")
        assert line["prompt"].startswith("Toss ")
        assert json.loads(line["data"])["prompt"] == line["prompt"]
        assert line["time"].year >= 2023


def test_another_process_makes_what_the_run_asked_for(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    done = cli(*arguments(served, tmp_path, groups=20), *ELSEWHERE)
    assert done.code == 0
    assert "new tasks: 8 being made" in done.out
    assert "their service: none has run yet" in done.out
    seen, made = drawn(tmp_path)
    assert not made
    done = cli("augment", tmp_path, "--once")
    assert done.code == 0
    assert "accepted" in done.out
    _, made = drawn(tmp_path)
    assert len(made) >= 4
    resumed = cli("run", "--resume", f"--output={tmp_path}", "--groups=40")
    assert resumed.code == 0
    seen, _ = drawn(tmp_path)
    assert seen & made


def unreachable() -> tuple[str, ...]:
    """The settings of a teacher that nobody serves."""
    teacher = {"type": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "judge"}
    return tuple(f'{AUGMENT}.teacher.{name}="{value}"' for name, value in teacher.items())


def test_a_teacher_that_cannot_be_asked_ends_it_before_a_rollout(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    words = ("the teacher cannot be asked: judge at http://127.0.0.1:9/v1", "teacher.base_url")
    refused(cli(*arguments(served, tmp_path / "run"), *ON, *unreachable()), *words)
    assert served.policy.calls == 0
    assert not (tmp_path / "run").exists()
    elsewhere = (*ELSEWHERE, *unreachable())
    assert cli(*arguments(served, tmp_path / "other", groups=2), *elsewhere).code == 0
    refused(cli("augment", tmp_path / "other", "--once"), *words)


def test_the_command_says_what_it_lacks(cli: Cli, served: Served, tmp_path: Path) -> None:
    refused(cli("augment", tmp_path / "none"), "there is no store at")
    assert cli(*arguments(served, tmp_path, groups=2)).code == 0
    refused(cli("augment", tmp_path), "augment.service = 'process'", "leave the service to")
    assert "new tasks" not in cli("status", tmp_path).out


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("proposer=environment", ("Coins makes no variants itself", "set it to 'policy'")),
        ("draw_share=2", ("augment.draw_share", "less than or equal to 1")),
        ('kinds=["numbers","numbers"]', ("augment.kinds", "each kind once")),
    ],
)
def test_settings_are_refused_before_the_run(
    cli: Cli, served: Served, tmp_path: Path, setting: str, words: tuple[str, ...]
) -> None:
    refused(cli(*arguments(served, tmp_path), *ON, f"{AUGMENT}.{setting}"), *words)


def test_a_taskset_without_a_symbolic_teacher_needs_another(
    cli: Cli, served: Served, tmp_path: Path
) -> None:
    wrapped = ("--set=taskset.inner.id=plain-coins", f"{AUGMENT}.enabled=true")
    done = cli(*arguments(served, tmp_path, taskset="curriculum-wrap"), *wrapped)
    refused(done, "has no symbolic teacher", "set it to 'endpoint'")


@pytest.mark.parametrize(
    "config", [{}, {"id": "os"}, {"id": 5}, {"id": "no-such-taskset"}, {"id": "../evil"}]
)
def test_a_taskset_that_cannot_be_made_here_is_named(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="cannot be made here"):
        restored(config)
