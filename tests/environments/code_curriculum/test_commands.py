"""The command lines over the environment: evaluate, run, validate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from curriculum_env.store import open_store
from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.cli.conftest import Cli, cli
from tests.environments.code_curriculum.solving import solution
from tests.integration.test_command_lines import episodes_in, verifiers

__all__ = ["cli"]


@pytest.fixture
def policy() -> Iterator[str]:
    with serve_policy(ScriptedPolicy(answer=solution)) as url:
        yield url


def test_eval_plays_the_held_out_split(policy: str, tmp_path: Path) -> None:
    verifiers(
        "eval", "code-curriculum", "-m", "scripted", "-o", str(tmp_path), "--run.name", "one",
        "--no-push", "--no-rich", "--client.base-url", policy,
        "--env.taskset.split", "heldout", "-n", "4", "-r", "1",
    )  # fmt: skip
    episodes = episodes_in(tmp_path / "one")
    assert len(episodes) == 4
    assert all(episode["traces"][0]["rewards"]["reward"]["score"] == 1.0 for episode in episodes)


def test_run_plays_the_training_split(policy: str, cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "run", "code-curriculum", "--model=scripted", f"--base-url={policy}", "--groups=3",
        "--group-size=2", f"--output={tmp_path / 'run'}",
    )  # fmt: skip
    assert done.code == 0, done.err
    with closing(open_store(f"sqlite:///{tmp_path}/run/curriculum.db")) as store:
        assert [outcome.reward for outcome in store.reader().read()] == [1.0] * 6


def test_validate_checks_the_solutions_and_that_nothing_is_not_enough(tmp_path: Path) -> None:
    verifiers(
        "validate", "code-curriculum", "--runtime.type", "subprocess", "--no-rich",
        "--taskset.split", "heldout", "-o", str(tmp_path),
    )  # fmt: skip
    (summary,) = tmp_path.rglob("summary.json")
    text = summary.read_text()
    assert '"valid": 12' in text, text
