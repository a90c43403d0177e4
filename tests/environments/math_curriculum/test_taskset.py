from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from math_curriculum import load_environment
from pydantic import ValidationError

from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.adapters.conftest import shared, store
from tests.adapters.playing import play, rows_in
from tests.cli.conftest import Cli, cli
from tests.environments.commands import evaluate, rewards, validate
from tests.environments.math_curriculum.asking import reply
from tests.environments.packaging import check_exports, check_metadata, check_wheel

__all__ = ["cli", "shared", "store"]


@pytest.fixture(scope="module")
def policy() -> Iterator[str]:
    """Gives the right answer to every problem that comes with the package."""
    with serve_policy(ScriptedPolicy(answer=reply)) as url:
        yield url


def test_the_package(tmp_path: Path) -> None:
    check_exports("math_curriculum")
    check_metadata("math_curriculum")
    assert "math_curriculum/problems.jsonl" in check_wheel("math_curriculum", tmp_path)


def test_the_training_split_never_ends_and_carries_its_draws() -> None:
    env = load_environment()
    tasks = list(islice(env.taskset, 130))
    env.taskset.close()
    assert [task.data.curriculum.draw for task in tasks] == list(range(130))
    assert all(task.data.prompt.startswith(task.data.question) for task in tasks)
    held = {task.key for task in load_environment(split="heldout").taskset}
    assert len(held) == 120 - len({task.key for task in tasks})
    assert not held & {task.key for task in tasks}


def test_a_worker_rebuilds_the_task_from_its_data() -> None:
    env = load_environment()
    task = next(iter(env.taskset))
    env.taskset.close()
    data = type(task).data_type().model_validate_json(task.data.model_dump_json())
    again = type(task)(data, task.config)
    assert (again.key, again.hash) == (task.key, task.hash)


async def test_rollouts_are_graded_and_recorded(policy: str, store: str) -> None:
    env = load_environment(prompt="{problem} [p=0.5]", task={"store": store, "invalid_reward": -1})
    tasks = list(islice(env.taskset, 16))
    with serve_policy(ScriptedPolicy(answer=lambda prompt: "\\boxed{8}")) as url:
        episodes = await play(env, tasks, url)
    env.taskset.close()
    traces = [episode.traces[0] for episode in episodes]
    assert {trace.reward for trace in traces} <= {-1.0, 0.0, 1.0}
    assert all(trace.metrics["invalid"] == (trace.reward == -1.0) for trace in traces)
    assert Counter(row.reward for row in rows_in(store)) == Counter(t.reward for t in traces)


def test_eval_plays_the_held_out_split(policy: str, tmp_path: Path) -> None:
    flags = ("--env.taskset.split", "heldout", "-n", "4", "-r", "1")
    traces = evaluate("math-curriculum", policy, tmp_path, *flags)
    assert [rewards(trace) for trace in traces] == [[1.0]] * 4


def test_validate_finds_every_answer_right_and_no_answer_wrong(tmp_path: Path) -> None:
    summary = validate("math-curriculum", tmp_path, "--taskset.split", "heldout")
    assert summary["outcomes"]["valid"] == summary["total"] > 10


def test_run_plays_the_training_split(cli: Cli, policy: str, tmp_path: Path) -> None:
    flags = ("--groups=2", "--group-size=2", f"--output={tmp_path}", "--model=scripted")
    done = cli("run", "math-curriculum", f"--base-url={policy}", *flags)
    assert done.code == 0, done.err
    recorded = rows_in(f"sqlite:///{tmp_path}/curriculum.db")
    assert [row.reward for row in recorded] == [1.0] * 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prompt": "Calculate."}, "expected a text with {problem} in it"),
        ({"heldout": 0}, "greater than 0"),
        ({"columns": {"prompt": "q"}}, "name the pool"),
        ({"task": {"invalid_reward": -2}}, "expected a reward within"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        load_environment(**settings)


def test_a_pool_that_is_not_there_is_told_when_the_taskset_is_read() -> None:
    taskset: vf.Taskset[Any, Any] = load_environment(pool="nosuch").taskset
    with pytest.raises(ValueError, match="'nosuch' is no source"):
        next(iter(taskset))
