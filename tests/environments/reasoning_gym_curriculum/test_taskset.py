from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from pydantic import ValidationError
from reasoning_gym_curriculum import load_environment
from reasoning_gym_curriculum.dataset import heldout_rows, train_rows

from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.adapters.conftest import store
from tests.adapters.playing import play, rows_in
from tests.cli.conftest import Cli, cli
from tests.environments.commands import evaluate, rewards, validate
from tests.environments.packaging import check_exports, check_metadata, check_wheel

__all__ = ["cli", "store"]

FAMILIES = ["chain_sum", "maze", "tower_of_hanoi"]
CHOSEN = '["chain_sum", "maze", "tower_of_hanoi"]'


def reply(prompt: str) -> str:
    """The right answer, found by the question."""
    rows = [*train_rows(40, 0, tuple(FAMILIES)), *heldout_rows(tuple(FAMILIES))]
    (answer,) = [r.data["answer"] for r in rows if prompt.startswith(r.data["question"] + "\n\n")]
    return f"<think>Hm.</think>So: <answer>{answer}</answer>"


@pytest.fixture(scope="module")
def policy() -> Iterator[str]:
    with serve_policy(ScriptedPolicy(answer=reply)) as url:
        yield url


def test_the_package(tmp_path: Path) -> None:
    check_exports("reasoning_gym_curriculum")
    check_metadata("reasoning_gym_curriculum")
    check_wheel("reasoning_gym_curriculum", tmp_path)


def test_the_training_split_never_ends_and_the_held_out_one_does() -> None:
    env = load_environment(families=FAMILIES, size=40)
    tasks = list(islice(env.taskset, 60))
    env.taskset.close()
    assert [task.data.curriculum.draw for task in tasks] == list(range(60))
    assert len({task.key for task in tasks}) == 40
    heldout = list(load_environment(families=FAMILIES, split="heldout").taskset)
    assert [task.key for task in heldout] == [row.uid for row in heldout_rows(tuple(FAMILIES))]
    assert not {task.key for task in heldout} & {task.key for task in tasks}


def test_a_worker_rebuilds_the_task_from_its_data() -> None:
    task: vf.Task = next(iter(load_environment(families=FAMILIES, split="heldout").taskset))
    data = type(task).data_type().model_validate_json(task.data.model_dump_json())
    again = type(task)(data, task.config)
    assert (again.key, again.hash) == (task.key, task.hash)


async def test_rollouts_are_graded_and_recorded(policy: str, store: str) -> None:
    env = load_environment(families=FAMILIES, size=40, task={"store": store})
    tasks = list(islice(env.taskset, 6))
    right = await play(env, tasks[:3], policy)
    with serve_policy(ScriptedPolicy(answer=lambda prompt: "no idea")) as url:
        wrong = await play(env, tasks[3:], url)
    env.taskset.close()
    assert [episode.traces[0].reward for episode in right] == [1.0] * 3
    assert all(episode.traces[0].reward < 0.5 for episode in wrong)
    assert [episode.traces[0].metrics["solved"] for episode in [*right, *wrong]] == [1.0] * 3 + [
        0.0
    ] * 3
    assert len(rows_in(store)) == 6


def test_eval_plays_the_held_out_split(policy: str, tmp_path: Path) -> None:
    chosen = ("--env.taskset.families", CHOSEN, "--env.taskset.split", "heldout")
    traces = evaluate("reasoning-gym-curriculum", policy, tmp_path, *chosen, "-n", "4", "-r", "1")
    assert [rewards(trace) for trace in traces] == [[1.0]] * 4


def test_validate_finds_every_answer_right_and_no_answer_wrong(tmp_path: Path) -> None:
    chosen = ("--taskset.families", CHOSEN, "--taskset.split", "heldout")
    summary = validate("reasoning-gym-curriculum", tmp_path, *chosen)
    assert summary["outcomes"]["valid"] == summary["total"] == 12


async def test_an_answer_that_is_not_given_cannot_be_validated() -> None:
    settings: dict[str, Any] = {"families": ["rush_hour"], "split": "heldout"}
    task: Any = next(iter(load_environment(**settings).taskset))
    assert task.data.answer is None
    assert await task.validate(None) is None


def test_run_plays_the_training_split(cli: Cli, policy: str, tmp_path: Path) -> None:
    sets = (f"--set=taskset.families={CHOSEN}", "--set=taskset.size=40")
    flags = ("--groups=2", "--group-size=2", f"--output={tmp_path}", "--model=scripted")
    done = cli("run", "reasoning-gym-curriculum", f"--base-url={policy}", *flags, *sets)
    assert done.code == 0, done.err
    recorded = rows_in(f"sqlite:///{tmp_path}/curriculum.db")
    assert [row.reward for row in recorded] == [1.0] * 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": [6]}, "expected one or more of"),
        ({"levels": []}, "at least 1 item"),
        ({"size": 0}, "greater than or equal to 1"),
        ({"prompt": "Solve."}, "expected a text with {question} in it"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        load_environment(**settings)
