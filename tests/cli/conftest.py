"""The command line called in this process, a scripted policy, the test tasksets on the path."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from curriculum_env.cli import main
from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from curriculum_env.testing.serving import TASKSETS

HERE = str(Path(__file__).parents[1] / "tasksets")
sys.path[:0] = [path for path in (TASKSETS, HERE) if path not in sys.path]


class Called(NamedTuple):
    code: int
    out: str
    err: str


Cli = Callable[..., Called]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    """Calls the command line and returns its exit code and what it printed."""
    resume = logging.getLogger("curriculum_env.engine.resume")
    level = resume.level

    def call(*arguments: object) -> Called:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Called(ended.value.code, out, err)

    yield call
    resume.setLevel(level)


class Served(NamedTuple):
    url: str
    policy: ScriptedPolicy


@pytest.fixture
def served() -> Iterator[Served]:
    """A scripted policy of this test's own, and where it is served."""
    policy = ScriptedPolicy()
    with serve_policy(policy) as url:
        yield Served(url, policy)


def refused(done: Called, *words: str) -> None:
    """The command was a user's error: one sentence with `words` in it, exit code 2."""
    assert done.code == 2
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    for word in words:
        assert word in done.err
