from __future__ import annotations

import random
import tomllib
import uuid
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import arithmetic_curriculum
import pytest
import verifiers.v1 as vf
from arithmetic_curriculum import load_environment
from arithmetic_curriculum.dataset import heldout_rows
from pydantic import ValidationError

from curriculum_env import Outcome
from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.adapters.playing import play, rows_in
from tests.environments.arithmetic_curriculum.evaluator import independent

ROOT = Path(__file__).parents[3]
HALF = "What is {expression}? [p=0.5]"
SILENT = "What is {expression}? [p=0]"


def answer(prompt: str) -> str:
    expression = prompt.removeprefix("What is ").partition("?")[0]
    return f"The answer is {independent(expression)}."


@pytest.fixture(scope="module")
def policy() -> Iterator[str]:
    """Gives the right answer, or, with the probability the prompt names, no number."""
    with serve_policy(ScriptedPolicy(answer=answer)) as url:
        yield url


@pytest.fixture
def store() -> str:
    return f"memory://{uuid.uuid4().hex}"


def first_tasks(env: vf.Env[Any], count: int) -> list[vf.Task]:
    return list(islice(env.taskset, count))


def test_exports_one_taskset_one_env_one_harness() -> None:
    exported = [getattr(arithmetic_curriculum, name) for name in arithmetic_curriculum.__all__]
    classes = [value for value in exported if isinstance(value, type)]
    for base in (vf.Taskset, vf.Env, vf.Harness):
        assert sum(issubclass(value, base) for value in classes) == 1


def test_the_package_says_what_the_hub_reads() -> None:
    text = (ROOT / "environments/arithmetic_curriculum/pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    assert project["tags"]
    assert "verifiers>=0.3.1,<0.5" in project["dependencies"]


def test_the_training_split_never_ends_and_carries_its_draws() -> None:
    env = load_environment(size=50)
    assert type(env.taskset).INFINITE
    tasks = first_tasks(env, 80)
    assert [task.data.curriculum.draw for task in tasks] == list(range(80))
    for task in tasks:
        assert task.key == task.data.curriculum.uid
        assert task.data.prompt == f"What is {task.data.expression}? Answer with the number only."
        assert task.data.answer == independent(task.data.expression)
    assert len({task.key for task in tasks}) == 50


def test_a_worker_rebuilds_the_task_from_its_data() -> None:
    (task,) = first_tasks(load_environment(size=50), 1)
    data = type(task).data_type().model_validate_json(task.data.model_dump_json())
    again = type(task)(data, task.config)
    assert (again.key, again.hash) == (task.key, task.hash)


def test_the_held_out_split_is_finite_and_without_draws() -> None:
    env = load_environment(split="heldout")
    assert not type(env.taskset).INFINITE
    tasks = list(env.taskset)
    assert [task.key for task in tasks] == [row.uid for row in heldout_rows()]
    assert all(task.data.curriculum.draw is None for task in tasks)


async def test_rollouts_are_graded_and_recorded(policy: str, store: str) -> None:
    env = load_environment(size=50, prompt=HALF, task={"store": store})
    tasks = first_tasks(env, 32)
    episodes = await play(env, tasks, policy)
    traces = [episode.traces[0] for episode in episodes]
    rewards = [trace.reward for trace in traces]
    assert set(rewards) == {0.0, 1.0}
    for trace in traces:
        assert trace.metrics["correct"] == trace.reward
        assert trace.metrics["invalid"] == 1 - trace.reward
    recorded = rows_in(store)
    assert Counter(outcome.reward for outcome in recorded) == Counter(rewards)
    assert {outcome.uid for outcome in recorded} == {task.key for task in tasks}


async def test_the_invalid_reward_is_what_the_settings_say(policy: str, store: str) -> None:
    env = load_environment(size=50, prompt=SILENT, task={"store": store, "invalid_reward": -1})
    (episode,) = await play(env, first_tasks(env, 1), policy)
    assert episode.traces[0].reward == -1.0
    assert [outcome.reward for outcome in rows_in(store)] == [-1.0]
    assert env.taskset.curriculum.sync(timeout=5.0) == 1
    assert env.taskset.curriculum.metrics()["out_of_range"] == 0


async def test_held_out_rollouts_leave_no_row(policy: str, store: str) -> None:
    env = load_environment(split="heldout", levels=[1], prompt=HALF, task={"store": store})
    episodes = await play(env, first_tasks(env, 8), policy)
    assert len(episodes) == 8
    assert rows_in(store) == []


def test_draws_move_to_the_levels_that_teach() -> None:
    """A policy that always solves levels 1 to 3, never 6 to 8, and 4 and 5 every other time."""
    settings = {"group_size": 4, "novelty": 1.0, "pick": "top"}
    env = load_environment(size=400, curriculum=settings)
    curriculum, rng, drawn = env.taskset.curriculum, random.Random(0), Counter[bool]()
    for number, task in enumerate(islice(env.taskset, 1_200)):
        place = task.data.curriculum
        teaches = place.level in ("4", "5")
        drawn[teaches] += number >= 800
        for rollout in range(4):
            reward = float(rng.random() < 0.5) if teaches else float(place.level < "4")
            curriculum.tell(Outcome(place.draw, place.uid, f"{place.draw}/{rollout}", reward))
    assert drawn[True] / drawn.total() > 2 * 2 / 8


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": [9]}, "expected one or more of"),
        ({"levels": []}, "at least 1 item"),
        ({"size": 0}, "greater than or equal to 1"),
        ({"prompt": "Calculate."}, "expected a text with {expression} in it"),
        ({"task": {"invalid_reward": -2}}, "expected a reward within"),
        ({"task": {"invalid_reward": float("nan")}}, "finite"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        load_environment(**settings)


def test_an_invalid_reward_within_a_wider_range_is_taken() -> None:
    env = load_environment(curriculum={"reward_range": [-2, 1]}, task={"invalid_reward": -1.5})
    assert env.taskset.config.task.invalid_reward == -1.5
