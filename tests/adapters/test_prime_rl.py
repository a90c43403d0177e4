"""The verifiers half of the files for prime-rl, against the installed verifiers."""

from __future__ import annotations

import tomllib
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf

from curriculum_env import LocalEnv
from curriculum_env.testing.serving import TASKSETS

FILES = sorted((Path(__file__).parents[2] / "configs" / "prime-rl").glob("*.toml"))
DRAWN = {"split", "size", "task", "curriculum"}


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


def source(tree: dict[str, Any], half: str) -> dict[str, Any]:
    (found,) = tree["orchestrator"][half]["source"]
    return dict(found)


def installed(env: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The Env's settings, a third party's taskset replaced by one that is installed."""
    monkeypatch.syspath_prepend(TASKSETS)
    if inner := env["taskset"].get("inner"):
        inner["id"] = "plain_coins"
    return env


def test_there_are_files() -> None:
    assert {path.stem for path in FILES} == {"arithmetic", "several-hosts", "wrapped"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_sources_play(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: dict[str, set[str]] = {}
    for half, infinite in (("train", True), ("eval", False)):
        env = installed(source(read(path), half)["env"], monkeypatch)
        env["taskset"] = {**env["taskset"], "task": {}}
        if "size" in env["taskset"]:
            env["taskset"]["size"] = 500
        loaded = vf.load_environment(vf.resolve_env_config(env))
        assert isinstance(loaded, LocalEnv)
        taskset = loaded.taskset
        assert type(taskset).INFINITE is infinite
        keys[half] = {task.key for task in islice(taskset, 100)}
        taskset.close()
    assert not keys["train"] & keys["eval"]
    assert all(keys.values())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_workers_record_is_what_the_orchestrator_reads(path: Path) -> None:
    tree = read(path)
    store = source(tree, "train")["env"]["taskset"]["task"]["store"]
    folder = f"sqlite:///outputs/{tree['run']['name']}/"
    database = f"/{tree['run']['name'].replace('-', '_')}"
    assert store.startswith((folder, "postgresql+psycopg://curriculum@db-host" + database))
    assert "task" not in source(tree, "eval")["env"]["taskset"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_sizes_agree_and_dead_groups_are_gated(path: Path) -> None:
    tree = read(path)
    orchestrator, train = tree["orchestrator"], source(tree, "train")
    settings = train["env"]["taskset"]["curriculum"]
    assert settings["group_size"] == orchestrator["group_size"]
    assert settings["batch_groups"] == orchestrator["batch_size"] // orchestrator["group_size"]
    assert [gate["type"] for gate in train["curriculum"]["gates"].values()] == ["advantage_range"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_halves_split_the_same_problems(path: Path) -> None:
    train, heldout = (source(read(path), half)["env"]["taskset"] for half in ("train", "eval"))
    assert heldout["split"] == "heldout"
    assert train.get("split", "train") == "train"
    kept = [
        {name: taskset[name] for name in taskset.keys() - DRAWN} for taskset in (train, heldout)
    ]
    assert kept[0] == kept[1]
