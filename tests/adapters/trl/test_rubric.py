from __future__ import annotations

from typing import Any

import pytest
import verifiers.v1 as vf
from arithmetic_curriculum import load_environment
from verifiers.v1.state import State

from curriculum_env.adapters.trl.rubric import Rubric, trace_of


class Data(vf.TaskData):
    answer: str


class Task(vf.Task[Data, State]):
    @vf.reward(weight=2.0)
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == self.data.answer)

    @vf.metric
    async def length(self, trace: vf.Trace) -> float:
        return len(trace.last_reply)


class Undecided(vf.Task[Data, State]):
    @vf.reward
    async def maybe(self, task: Data, trace: vf.Trace) -> Any:
        return {} if task.answer == "none" else float(task.answer)


def task(kind: type[vf.Task], answer: str) -> vf.Task:
    return kind(Data(prompt="?", system_prompt="!", answer=answer))


async def grades(tasks: list[vf.Task], completions: list[Any]) -> list[Any]:
    rubric = Rubric(str.strip)
    await rubric.rubric(
        completions=completions,
        completion_ids=[[1, 2]] * len(tasks),
        task=tasks,
        draw=list(range(len(tasks))),
        trainer_state=None,
    )
    return rubric.grades


async def test_rewards_and_metrics_are_the_tasks_own() -> None:
    said: Any = [{"role": "assistant", "content": " yes "}]
    right, wrong = await grades([task(Task, "yes")] * 2, [said, "no"])
    assert (right.reward, right.status, right.draw, right.tokens) == (2.0, "ok", 0, 2)
    assert right.metrics == {"length": 3.0}
    assert (wrong.reward, wrong.status, wrong.draw) == (0.0, "ok", 1)


async def test_no_reward_is_no_feedback_and_a_wild_one_a_failure() -> None:
    tasks = [task(Undecided, answer) for answer in ("none", "nan", "inf", "word", "0.5")]
    found = await grades(tasks, ["x"] * 5)
    assert [grade.reward for grade in found] == [None, None, None, None, 0.5]
    assert [grade.status for grade in found] == ["cancelled", "error", "error", "error", "ok"]


def test_a_trace_holds_the_whole_conversation() -> None:
    trace = trace_of(task(Task, "a"), "reply")
    assert [node.message.role for node in trace.nodes] == ["system", "user", "assistant"]
    assert [node.parent for node in trace.nodes] == [None, 0, 1]
    assert trace.last_reply == "reply"
    assert trace.task.type == "Task"


async def test_an_installed_environment_is_scored_as_it_scores() -> None:
    taskset = load_environment(size=20).taskset
    one = taskset.task(next(iter(taskset.rows())))
    right, wrong, silent = await grades([one] * 3, [str(one.data.answer), "999999", "word"])
    assert [grade.reward for grade in (right, wrong, silent)] == [1.0, 0.0, 0.0]
    assert silent.metrics == {"correct": 0.0, "invalid": 1.0}


@pytest.mark.parametrize("prompt", ["ask", [vf.UserMessage(content="ask")]])
def test_prompts_of_either_form(prompt: Any) -> None:
    trace = trace_of(Task(Data(prompt=prompt, answer="a")), "b")
    assert [node.message.content for node in trace.nodes] == ["ask", "b"]
