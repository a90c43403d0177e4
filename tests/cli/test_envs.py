from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, Served, refused

BACKEND = """
import zipfile
from pathlib import Path

NAME = "tiny_env"
META = f"Metadata-Version: 2.1\\nName: {NAME}\\nVersion: 0.3.0\\n"


def get_requires_for_build_editable(config_settings=None):
    return []


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    wheel = f"{NAME}-0.3.0-py3-none-any.whl"
    info = f"{NAME}-0.3.0.dist-info"
    tag = "Wheel-Version: 1.0\\nGenerator: tiny\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        archive.writestr(f"{NAME}.pth", str(Path(__file__).parent))
        archive.writestr(f"{info}/METADATA", META)
        archive.writestr(f"{info}/WHEEL", tag)
        archive.writestr(f"{info}/RECORD", "")
    return wheel
"""


def call(python: str, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command line in another Python, which finds this one's packages."""
    code = "from curriculum_env.cli import main; main()"
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run(
        [python, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths, **variables},
        capture_output=True,
        text=True,
    )


def buildable(parent: Path) -> None:
    """A package at PARENT/tiny_env that builds without the network."""
    folder = parent / "tiny_env"
    (folder / "tiny_env").mkdir(parents=True)
    (folder / "tiny_env" / "__init__.py").write_text("VALUE = 42\n")
    (folder / "backend.py").write_text(BACKEND)
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )


def test_the_arithmetic_environment_is_listed(cli: Cli) -> None:
    found = {row["id"]: row for row in json.loads(cli("env", "list", "--json").out)}
    assert found["arithmetic-curriculum"]["taskset"] == "ArithmeticTaskset"
    assert found["curriculum-wrap"]["version"]
    shown = cli("env", "list")
    assert (shown.code, shown.err) == (0, "")
    assert "arithmetic-curriculum" in shown.out


def test_a_package_that_declares_no_dependency_is_listed_too(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its import of this one: `coins` has a curriculum, `plain-coins` and `elsewhere` not."""
    for name in ("coins", "plain-coins", "elsewhere"):
        info = tmp_path / f"{name.replace('-', '_')}-0.1.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\nSummary: Of {name}.\n"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
    (tmp_path / "elsewhere.py").write_text("raise RuntimeError('imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = {row["id"]: row for row in json.loads(cli("env", "list", "--json").out)}
    assert found["coins"]["summary"] == "Of coins."
    assert not {"plain-coins", "elsewhere"} & set(found)


def test_a_new_environment_passes_its_own_tests(cli: Cli, tmp_path: Path) -> None:
    made = cli("env", "new", "word-flip", "--parent", tmp_path)
    assert (made.code, made.err) == (0, "")
    folder = tmp_path / "word_flip"
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder / "tests")]
    done = subprocess.run(
        tests, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout
    leftover = [file for file in folder.rglob("*") if file.is_file() and "$" in file.read_text()]
    assert [file for file in leftover if file.suffix in (".py", ".toml", ".md")] == []


def test_odd_names_pass_their_own_tests_too(cli: Cli, tmp_path: Path) -> None:
    """Names that the files of the package use themselves, and ones that Python knows."""
    names = ("a-1", "x", "none", "match", "row", "vf", "self", "dataset", "curriculum", "a_b-c")
    for name in names:
        assert cli("env", "new", name, "-p", tmp_path).code == 0
    folders = [tmp_path / name.replace("-", "_") for name in names]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
        + [str(folder / "tests") for folder in folders],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, folders), *sys.path])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert f"{5 * len(names)} passed" in done.stdout, done.stdout


def test_a_name_that_is_too_long(cli: Cli, tmp_path: Path) -> None:
    refused(cli("env", "new", "a" * 300, "-p", tmp_path), "300 letters")


def test_a_new_environment_runs(
    cli: Cli, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("env", "new", "letter-swap", "-p", tmp_path).code == 0
    monkeypatch.syspath_prepend(str(tmp_path / "letter_swap"))
    flags = ("--groups=2", "--group-size=2", f"--output={tmp_path}/out")
    done = cli("run", "letter-swap", "--base-url", served.url, "--model=scripted", *flags)
    assert (done.code, done.err) == (0, "")
    assert json.loads((tmp_path / "out" / "report.json").read_text())["rollouts"] == 4


@pytest.mark.parametrize("name", ["Word", "1word", "a--b", "a/b", "-a", "class", "a b", "json"])
def test_a_name_that_cannot_be_used(cli: Cli, tmp_path: Path, name: str) -> None:
    refused(cli("env", "new", "-p", tmp_path, "--", name), name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    assert cli("env", "new", "word-flip", "-p", tmp_path).code == 0
    refused(cli("env", "new", "word-flip", "-p", tmp_path), "there already")
    (tmp_path / "file").write_text("")
    refused(cli("env", "new", "word-flip", "-p", tmp_path / "file"), "cannot be written")


def test_what_is_no_package_cannot_be_installed(cli: Cli, tmp_path: Path) -> None:
    refused(cli("vf-install", "none-there", "-p", tmp_path), "none_there", "env new none-there")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python of its own, with pip, into which a test may install."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    return str(folder / "bin" / "python")


def test_installing_makes_the_package_importable(python: str, tmp_path: Path) -> None:
    buildable(tmp_path)
    done = call(python, "vf-install", "tiny-env", "-p", tmp_path, PIP_NO_INDEX="1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Installed tiny_env 0.3.0.\n"
    code = "import tiny_env; print(tiny_env.VALUE, tiny_env.__file__)"
    shown = subprocess.run([python, "-c", code], capture_output=True, text=True).stdout
    assert shown == f"42 {tmp_path}/tiny_env/tiny_env/__init__.py\n"


def test_an_installation_that_fails_says_why(python: str, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "pyproject.toml").write_text("[build-system]\nrequires = ['no-such']\n")
    done = call(python, "vf-install", "broken", "-p", tmp_path, PIP_NO_INDEX="1")
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: installing {tmp_path}/broken failed (exit code")
    assert done.stderr.count("\n") == 1


def test_verifiers_own_command_is_used_where_it_works(python: str, tmp_path: Path) -> None:
    buildable(tmp_path)
    told = tmp_path / "told"
    own = Path(python).with_name("vf-install")
    tools = tmp_path / "tools"
    tools.mkdir()
    for script in (own, tools / "uv"):
        script.write_text(f'#!/bin/sh\necho "$0 $@" >> {told}\n')
        script.chmod(0o755)
    try:
        path = f"{tools}{os.pathsep}{os.environ['PATH']}"
        call(python, "vf-install", "tiny-env", "-p", tmp_path, PATH=path)
    finally:
        own.unlink()
    assert told.read_text() == f"{own} tiny-env --path {tmp_path}\n"
