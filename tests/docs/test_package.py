from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
import verifiers.v1 as vf

from curriculum_env import ChatHarness, LocalEnv
from curriculum_env.store import open_store
from tests.cli.conftest import Cli, Served, cli, served
from tests.docs.markdown import ROOT, blocks

__all__ = ["cli", "served"]

PAGE = ROOT / "docs" / "environments.md"


def shown(language: str, mark: str) -> str:
    """The one block of the page that holds `mark`."""
    (found,) = [b.text for b in blocks(language) if b.page == PAGE and mark in b.text]
    return found


@pytest.fixture
def doubling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The page's own package, importable as it would be once installed."""
    (tmp_path / "doubling.py").write_text(shown("python", "__all__"))
    monkeypatch.syspath_prepend(tmp_path)
    yield "doubling"
    sys.modules.pop("doubling", None)


def test_its_project_is_the_module_that_it_ships() -> None:
    project = tomllib.loads(shown("toml", "[build-system]"))
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["include"]
    assert shipped == [f"{project['project']['name']}.py"]
    assert "curriculum-env" in project["project"]["dependencies"]


def test_it_runs_on_this_machine(doubling: str, cli: Cli, served: Served, tmp_path: Path) -> None:
    served.policy.answer = lambda prompt: str(2 * int(prompt.split()[2]))
    folder = tmp_path / "run"
    done = cli(
        "run", doubling, "--model=scripted", f"--base-url={served.url}", "--groups=2",
        "--group-size=2", f"--output={folder}",
    )  # fmt: skip
    assert done.code == 0, done.err
    with closing(open_store(f"sqlite:///{folder}/curriculum.db")) as store:
        assert [outcome.reward for outcome in store.reader().read()] == [1.0] * 4


@pytest.mark.parametrize("kind", [vf.Taskset, LocalEnv, ChatHarness])
def test_its_all_has_one_of_each(doubling: str, kind: type) -> None:
    module = import_module(doubling)
    assert sum(issubclass(getattr(module, name), kind) for name in module.__all__) == 1
