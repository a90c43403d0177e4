"""The reward of a completion: its task's own, read off a trace made of it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.graph import MessageNode
from verifiers.v1.state import state_cls
from verifiers.v1.trace import AgentInfo, TraceTask

from curriculum_env.types import Status

logger = logging.getLogger(__name__)

_AGENT = AgentInfo(config=vf.AgentConfig(runtime=vf.SubprocessConfig()), name="trl")


@dataclass(frozen=True, slots=True)
class Grade:
    """What one completion earned: no reward where its task gave none (status `cancelled`) or
    scoring it failed (`error`). `metrics` are the task's own."""

    uid: str
    reward: float | None
    status: Status = "ok"
    draw: int | None = None
    tokens: int = 0
    metrics: dict[str, float] = field(default_factory=dict)


class Rubric:
    """Scores completions by the rewards of their tasks, without a runtime. `read` turns a
    completion into the reply that is scored. `grades` are those of the last call; `failure` says
    what went wrong last."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self.grades: list[Grade] = []
        self.failure = ""

    async def rubric(
        self,
        *,
        completions: list[Any],
        completion_ids: list[Any],
        task: list[vf.Task],
        **given: Any,
    ) -> list[float | None]:
        """One reward per completion, as TRL calls a reward function."""
        self.grades = await asyncio.gather(
            *(
                self._grade(*one)
                for one in zip(task, completions, completion_ids, given["draw"], strict=True)
            )
        )
        return [grade.reward for grade in self.grades]

    async def _grade(
        self, task: vf.Task, completion: Any, ids: Sequence[int], draw: int | None
    ) -> Grade:
        uid, tokens = task.key, len(ids)
        text = completion if isinstance(completion, str) else completion[-1]["content"] or ""
        try:
            trace = trace_of(task, self._read(text))
            await task.score(trace)
            scored = any(reward is not None for reward in trace.rewards.values())
            reward = float(trace.reward) if scored else None
        except Exception as error:  # whatever a task's own code raises
            return self._failed(Grade(uid, None, "error", draw, tokens), error)
        if reward is not None and not math.isfinite(reward):
            failed = Grade(uid, None, "error", draw, tokens)
            return self._failed(failed, ValueError(f"the reward of task {uid} is {reward}"))
        metrics = {name: float(v) for name, v in trace.metrics.items() if v is not None}
        return Grade(uid, reward, "cancelled" if reward is None else "ok", draw, tokens, metrics)

    def _failed(self, grade: Grade, error: Exception) -> Grade:
        if not self.failure:
            logger.warning(
                "task %s could not score a completion, which therefore teaches nothing",
                grade.uid, exc_info=error,
            )  # fmt: skip
        self.failure = f"{type(error).__name__}: {error}"
        return grade


def trace_of(task: vf.Task, reply: str) -> vf.Trace:
    """The finished rollout of a task in which the policy said `reply`."""
    data = task.data
    prompt: list[Any] = (
        [vf.UserMessage(content=data.prompt)] if isinstance(data.prompt, str) else data.prompt or []
    )
    if data.system_prompt:
        prompt = [vf.SystemMessage(content=data.system_prompt), *prompt]
    said = [*prompt, vf.AssistantMessage(content=reply)]
    nodes = [
        MessageNode(
            parent=place - 1 if place else None, message=message, sampled=place == len(prompt)
        )
        for place, message in enumerate(said)
    ]
    about = TraceTask(type=type(task).__name__, data=data, key=task.key, hash=task.hash)
    return vf.Trace(
        task=about, agent=_AGENT, nodes=nodes, state=state_cls(type(task))(), is_completed=True
    )
