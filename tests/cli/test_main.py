from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import version

import pytest

from curriculum_env.cli import main
from tests.cli.conftest import Cli, refused

COMMANDS = ["", "run", "status", "export", "lab", "env", "env list", "env new", "vf-install"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(cli: Cli, command: str) -> None:
    shown = cli(*command.split(), "--help")
    assert (shown.code, shown.err) == (0, "")
    assert "Usage: " in shown.out


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from curriculum_env.cli import main\n"
        "try:\n    main(['run', '--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'verifiers', 'numpy', 'pyarrow', 'sqlalchemy', 'openai'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_help_is_quick() -> None:
    def seconds() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "curriculum_env.cli", "--help"], check=True)
        return time.perf_counter() - started

    assert min(seconds() for _ in range(5)) < 0.5


def test_the_version_is_that_of_the_package(cli: Cli) -> None:
    assert cli("--version").out.strip() == version("curriculum-env")


def test_what_is_no_command_is_one_sentence(cli: Cli) -> None:
    refused(cli("fly"), "fly")
    refused(cli("status"), "store")
    refused(cli("status", "a", "b"), "b")
    refused(cli("--no-such-option"), "--no-such-option")


@pytest.mark.parametrize("command", ["", "env"])
def test_a_command_that_needs_another_shows_its_help(cli: Cli, command: str) -> None:
    shown = cli(*command.split())
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("Usage: ")


def test_a_bug_is_told_apart_from_a_users_error(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("curriculum_env.cli.stored.read_store", broken)
    failed = cli("status", "store")
    assert failed.code == 1
    assert failed.err.startswith("Error: ZeroDivisionError: division by zero (this is a bug")
    with pytest.raises(ZeroDivisionError):
        main(["--debug", "status", "store"])


def test_debug_shows_where_an_error_comes_from() -> None:
    from curriculum_env.errors import ConfigError

    with pytest.raises(ConfigError):
        main(["--debug", "status", "/no/such/store"])
