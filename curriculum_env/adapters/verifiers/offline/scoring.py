"""What a task's own scoring makes of a reply that is known beforehand."""

from __future__ import annotations

from typing import Any

import verifiers.v1 as vf
from verifiers.v1.graph import MessageNode
from verifiers.v1.state import state_cls
from verifiers.v1.trace import Trace, TraceTask
from verifiers.v1.types import AssistantMessage, UserMessage

from curriculum_env.adapters.verifiers.offline.tasks import OfflineTasks
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.types import Row


class Scorer:
    """Scores replies as if a model had given them in one turn, as a replay does: without a
    runtime, so that rewards which need one cannot be had."""

    def __init__(self, tasks: OfflineTasks) -> None:
        self._tasks = tasks
        self._scale = RewardScale(tasks.curriculum)

    async def success(self, row: Row, reply: str) -> float:
        """The success of `reply`, in [0, 1].

        Raises:
            ValueError: the task has no reward that can be had without a runtime, or the reward is
                no finite number.
        """
        task = self._tasks.task(row)
        trace = conversation(task, reply)
        await task.score(trace)
        if not trace.rewards:
            raise ValueError("no reward of this task can be had without a runtime")
        success = self._scale.success(trace.reward)
        if success is None:
            raise ValueError(f"the reward is {trace.reward}, which is no finite number")
        return success


def conversation(task: vf.Task, reply: str) -> Any:
    """A finished trace in which the model answers the task's prompt with `reply`."""
    data = task.data
    trace = Trace(
        task=TraceTask(type=type(task).__name__, data=data, key=task.key, hash=task.hash),
        state=state_cls(type(task))(),
        agent=vf.AgentInfo(config=vf.AgentConfig(), name="known", trainable=False),
    )
    asked = MessageNode(message=UserMessage(content=data.prompt_text))
    said = MessageNode(parent=0, message=AssistantMessage(content=reply), sampled=True)
    trace.nodes += [asked, said]
    trace.is_completed = True
    return trace
