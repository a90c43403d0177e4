from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer.main
import verifiers.v1 as vf

from curriculum_env.cli import app
from curriculum_env.testing.serving import TASKSETS
from tests.docs.markdown import ROOT, Block, anchors, blocks, links, pages

ASSIGNMENT = re.compile(r"\w+=.*")
PRINTED = re.compile(r"```\n+(?:[^\n`]+\n+)?```(?:text)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def check_curriculum_env(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command = command.commands[words[0]]
        words = words[1:]
    command.make_context("curriculum-env", words)


def check(line: str) -> None:
    """A shell line names a program of this project and gives it arguments it takes."""
    words = shlex.split(line, comments=True)
    while words and ASSIGNMENT.fullmatch(words[0]):
        words = words[1:]
    program, arguments = Path(words[0]).name, words[1:]
    if program == "curriculum-env":
        check_curriculum_env(arguments)
    elif program == "make":
        assert set(arguments) <= targets()
    elif program == "python":
        assert (ROOT / arguments[0]).is_file()
    elif program == "pip":
        local = [word for word in arguments if word.startswith(".")]
        assert all((ROOT / word.partition("[")[0] / "pyproject.toml").is_file() for word in local)
    elif program == "pytest":
        assert all((ROOT / word).exists() for word in arguments if word.startswith("tests"))
    else:
        assert program in {"cd", "export", "git", "pre-commit", "source", "vf-eval"}, program


@pytest.mark.parametrize("block", blocks("bash", "sh", "console"), ids=str)
def test_shell_lines_name_what_is_there(block: Block) -> None:
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            check(line.removeprefix("$ "))


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_blocks_run_and_print_what_stands_below(block: Block, tmp_path: Path) -> None:
    if ".sim.tiny" in block.text:
        pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block.text],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    if done.stdout:
        agree(printed_below(block), done.stdout)


def printed_below(block: Block) -> str:
    below = block.page.read_text().partition(block.text)[2]
    shown = PRINTED.match(below)
    assert shown, f"{block} prints something, but no block below it shows what"
    return shown[1]


def agree(shown: str, printed: str) -> None:
    """The same words, and the same numbers but for a few per cent: the examples are seeded, but
    the last bit of a float differs between processors, and a draw may turn on it."""
    assert NUMBER.sub("#", shown).split() == NUMBER.sub("#", printed).split()
    for one, other in zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True):
        assert float(one) == pytest.approx(float(other), rel=0.03, abs=0.01)


def envs(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """The Envs that a file of settings names, of a run or of a trainer."""
    if "env" in tree:
        return [tree["env"]]
    halves = [tree["orchestrator"].get(half, {}) for half in ("train", "eval")]
    return [source["env"] for half in halves for source in half.get("source", [])]


SETTINGS = [block for block in blocks("toml") if "[build-system]" not in block.text]


@pytest.mark.parametrize("block", SETTINGS, ids=str)
def test_toml_blocks_are_settings(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third party's taskset is replaced by one that is installed."""
    monkeypatch.syspath_prepend(TASKSETS)
    for env in envs(tomllib.loads(block.text)):
        if inner := env["taskset"].get("inner"):
            inner["id"] = "plain_coins"
        vf.resolve_env_config(env)


def test_links_lead_somewhere() -> None:
    for page, target in links():
        if target.startswith(("https://", "http://")):
            continue
        path, _, fragment = target.partition("#")
        linked = (page.parent / path) if path else page
        assert linked.exists(), f"{page.relative_to(ROOT)} links to {target}"
        assert not fragment or fragment in anchors(linked), f"{page.relative_to(ROOT)}: #{fragment}"


def test_the_pages_are_reached_from_the_readme() -> None:
    linked: dict[Path, set[Path]] = {page: set() for page in pages()}
    for page, target in links():
        linked[page].add((page.parent / target.partition("#")[0]).resolve())
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in linked and page not in reached:
            reached.add(page)
            waiting += linked[page]
    assert {page for page in pages() if page.parent == ROOT / "docs"} <= reached


def test_the_changelog_has_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert f"\n## {version('curriculum-env')}" in changelog


def test_the_readme_shows_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme


def test_every_benchmark_is_listed() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    for path in (ROOT / "benchmarks").glob("*.py"):
        assert f"benchmarks/{path.name}" in page
    named = {"engine", "store", "overhead", "live", "lab", "estimators"}
    assert named <= anchors(ROOT / "docs" / "benchmarks.md")


def test_commands_in_running_text_are_there() -> None:
    for page in pages():
        for path in re.findall(
            r"(?:python|pytest) ((?:benchmarks|examples|tests)/\S*?)[` ]", page.read_text()
        ):
            assert (ROOT / path).exists(), f"{page.relative_to(ROOT)} names {path}"
