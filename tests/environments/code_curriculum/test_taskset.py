from __future__ import annotations

import json
import tomllib
import uuid
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import code_curriculum
import pytest
import verifiers.v1 as vf
from code_curriculum import load_environment
from code_curriculum.own import own_problems
from code_curriculum.rubric import grade
from pydantic import ValidationError
from verifiers.v1.runtimes import provision_runtime

from curriculum_env import CallCase, CodeLimits, CurriculumError
from curriculum_env.testing.policy import ScriptedPolicy, serve_policy
from tests.adapters.playing import play, rows_in
from tests.environments.code_curriculum.solving import solution

ROOT = Path(__file__).parents[3]
HALF = "Answer with code. [p=0.5]"
EASY = {"levels": [1], "function_prompt": HALF, "program_prompt": HALF}


@pytest.fixture(scope="module")
def policy() -> Iterator[str]:
    """Solves a problem, or, with the probability the prompt names, writes no code."""
    with serve_policy(ScriptedPolicy(answer=solution)) as url:
        yield url


@pytest.fixture
def store() -> str:
    return f"memory://{uuid.uuid4().hex}"


def first_tasks(env: vf.Env[Any], count: int) -> list[vf.Task]:
    return list(islice(env.taskset, count))


def test_exports_one_taskset_one_env_one_harness() -> None:
    exported = [getattr(code_curriculum, name) for name in code_curriculum.__all__]
    classes = [value for value in exported if isinstance(value, type)]
    for base in (vf.Taskset, vf.Env, vf.Harness):
        assert sum(issubclass(value, base) for value in classes) == 1


def test_the_package_says_what_the_hub_reads() -> None:
    text = (ROOT / "environments/code_curriculum/pyproject.toml").read_text()
    project = tomllib.loads(text)["project"]
    assert project["tags"]
    assert "verifiers>=0.3.1,<0.5" in project["dependencies"]


def test_the_training_split_never_ends_and_carries_its_draws() -> None:
    env = load_environment()
    assert type(env.taskset).INFINITE
    tasks = first_tasks(env, 50)
    assert [task.data.curriculum.draw for task in tasks] == list(range(50))
    assert len({task.key for task in tasks}) == 36
    for task in tasks:
        assert task.data.prompt.startswith(task.data.question)


def test_neither_tests_nor_solution_are_in_the_prompt() -> None:
    for task in load_environment(split="heldout").taskset:
        hidden = [case.test if task.data.function else case.stdin for case in task.data.cases[1:]]
        assert not any(len(text) > 8 and text in task.data.prompt for text in hidden)
        assert task.data.solution not in task.data.prompt


def test_a_worker_rebuilds_the_task_from_its_data() -> None:
    (task,) = first_tasks(load_environment(), 1)
    data = type(task).data_type().model_validate_json(task.data.model_dump_json())
    again = type(task)(data, task.config)
    assert (again.key, again.hash) == (task.key, task.hash)
    assert again.data.cases == task.data.cases


def test_the_held_out_split_is_finite_and_without_draws() -> None:
    env = load_environment(split="heldout", levels=[2, 3])
    assert not type(env.taskset).INFINITE
    expected = [problem.row().uid for problem in own_problems([2, 3], heldout=True)]
    tasks = list(env.taskset)
    assert [task.key for task in tasks] == expected
    assert all(task.data.curriculum.draw is None for task in tasks)


async def test_rollouts_are_graded_and_recorded(policy: str, store: str) -> None:
    env = load_environment(**EASY, task={"store": store})
    episodes = await play(env, first_tasks(env, 12), policy)
    traces = [episode.traces[0] for episode in episodes]
    rewards = [trace.reward for trace in traces]
    assert set(rewards) == {0.0, 1.0}
    for trace in traces:
        assert trace.metrics["correct"] == trace.metrics["tests_passed"] == trace.reward
        assert trace.metrics["no_code"] == 1 - trace.reward
        assert trace.metrics["beyond_limits"] == 0
    assert Counter(outcome.reward for outcome in rows_in(store)) == Counter(rewards)


async def test_held_out_rollouts_leave_no_row(policy: str, store: str) -> None:
    env = load_environment(split="heldout", **EASY, task={"store": store})
    assert len(await play(env, first_tasks(env, 2), policy)) == 2
    assert rows_in(store) == []


@pytest.mark.parametrize(
    ("code", "correct", "passed", "beyond"),
    [
        ("def f(n): return n * n", 1.0, 1.0, 0.0),
        ("def f(n): return n * n if n < 3 else 0", 0.0, 0.75, 0.0),
        ("def f(n):\n    while n == 0: pass\n    return n * n", 0.0, 0.75, 1.0),
        ("def g(n): return n * n", 0.0, 0.0, 0.0),
    ],
)
async def test_the_two_scales(code: str, correct: float, passed: float, beyond: float) -> None:
    cases = [CallCase(function="f", args=[n], expected=n * n) for n in range(4)]
    limits = CodeLimits(seconds=1.0)
    reply = f"```python\n{code}\n```"
    async with provision_runtime(vf.SubprocessConfig()) as runtime:
        whole = await grade(reply, cases, runtime, limits=limits)
        part = await grade(reply, cases, runtime, scale="fraction", limits=limits)
    assert (whole.reward, part.reward) == (correct, passed)
    assert part.metrics["tests_passed"] == passed
    assert part.metrics["correct"] == correct
    assert (whole.metrics["beyond_limits"], part.metrics["beyond_limits"]) == (beyond, beyond)


async def test_a_dataset_of_a_schema_is_trained_and_evaluated_on(
    policy: str, store: str, tmp_path: Path
) -> None:
    """Its questions are those of the own problems, so that the policy knows them."""
    path = tmp_path / "problems.jsonl"
    problems = list(own_problems([1], heldout=False))
    records = [
        {
            "problem": problem.question,
            "tests": json.dumps([{"input": case.stdin, "output": case.stdout}  # type: ignore[union-attr]
                                 for case in problem.cases]),
            "solutions": [problem.solution],
        }
        for problem in problems if not problem.function
    ]  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    env = load_environment(
        source=f"deepcoder={path}", heldout_source=f"deepcoder={path}", task={"store": store}
    )
    episodes = await play(env, first_tasks(env, 2), policy)
    assert [episode.traces[0].reward for episode in episodes] == [1.0, 1.0]
    assert {outcome.reward for outcome in rows_in(store)} == {1.0}


async def test_a_jail_that_cannot_be_made_is_no_failure_of_the_policy(
    policy: str, store: str
) -> None:
    """The rollout errs, and no belief moves."""
    task = {"store": store, "limits": {"python": "/nowhere/python"}}
    env = load_environment(levels=[1], task=task)
    await play(env, first_tasks(env, 1), policy)
    assert [outcome.status for outcome in rows_in(store)] == ["error"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": [9]}, "expected one or more of"),
        ({"levels": []}, "at least 1 item"),
        ({"size": 0}, "greater than or equal to 1"),
        ({"source": "apps"}, "names the schema"),
        ({"heldout_source": "apps=x"}, "names the schema"),
        ({"heldout": 0}, "greater than 0"),
        ({"task": {"reward": "some"}}, "'all' or 'fraction'"),
        ({"task": {"limits": {"seconds": 0}}}, "greater than 0"),
        ({"task": {"limits": {"isolation": "none"}}}, "'require' or 'accept'"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValidationError, CurriculumError), match=message):
        load_environment(**settings)
