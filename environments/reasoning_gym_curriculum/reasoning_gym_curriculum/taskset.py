"""The tasks as verifiers tasks, handed out by the curriculum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import verifiers.v1 as vf
from pydantic import Field, model_validator

from curriculum_env import (
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    CurriculumTasksetConfig,
    Row,
)
from reasoning_gym_curriculum.dataset import heldout_rows, train_rows
from reasoning_gym_curriculum.families import LEVELS
from reasoning_gym_curriculum.rubric import Grade, grade
from reasoning_gym_curriculum.variants import vary

PROMPT = "{question}\n\nThink as you need; give the answer alone between <answer> and </answer>."


class ReasoningGymData(CurriculumTaskData):
    """A task's place in reasoning-gym, and a right answer where its family gives one."""

    question: str
    answer: str | None
    family: str
    level: int
    seed: int
    index: int


class ReasoningGymTask(
    CurriculumTaskMixin, vf.Task[ReasoningGymData, vf.State, CurriculumTaskConfig]
):
    """Scores the reply's answer with the family's own scorer."""

    @vf.reward
    async def reward(self, trace: vf.Trace) -> float:
        """What the family's scorer gives the answer, in [0, 1]."""
        earned = await self._grade(trace.last_reply)
        trace.record_metric("solved", float(earned.reward == 1.0))
        trace.record_metric("late", earned.late)
        return earned.reward

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the family's own answer earns 1; None where it gives none."""
        if self.data.answer is None:
            return None
        return (await self._grade(f"<answer>{self.data.answer}</answer>")).reward == 1.0

    async def _grade(self, reply: str) -> Grade:
        data = self.data
        where = (data.family, data.level, data.seed, data.index)
        return await grade(reply, data.question, where)


class ReasoningGymTasksetConfig(CurriculumTasksetConfig):
    """Settings of the pool."""

    size: int = Field(1_000, ge=1)
    """How many training tasks; fewer when the families asked for do not have that many."""
    seed: int = Field(0, ge=0)
    """Which training tasks; the held-out ones are always the same."""
    families: list[str] = Field(default_factory=list)
    """The families to use, such as `countdown`; empty for all."""
    levels: list[int] = Field(list(LEVELS), min_length=1)
    """The levels to use, 1 (the easiest a family has) to 5 (its hardest)."""
    prompt: str = PROMPT
    """What the model is asked, with `{question}` where the task goes."""

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if not set(self.levels) <= set(LEVELS):
            raise ValueError(f"levels is {self.levels}; expected one or more of {list(LEVELS)}")
        if "{question}" not in self.prompt:
            raise ValueError(f"prompt is {self.prompt!r}; expected a text with {{question}} in it")
        return self


class ReasoningGymTaskset(CurriculumMixin, vf.Taskset[ReasoningGymTask, ReasoningGymTasksetConfig]):
    """reasoning-gym's tasks, drawn where the policy sometimes succeeds and sometimes fails."""

    def rows(self) -> Iterator[Row]:
        """None for an evaluation: the split by a hash keeps them apart, and to make a thousand
        tasks only to see it takes half a minute."""
        config = self.config
        if config.split == "heldout":
            return iter(())
        rows = train_rows(config.size, config.seed, tuple(config.families), tuple(config.levels))
        return iter(rows)

    def heldout_rows(self) -> Iterator[Row]:
        return iter(heldout_rows(tuple(self.config.families), tuple(self.config.levels)))

    def task(self, row: Row) -> ReasoningGymTask:
        prompt = self.config.prompt.replace("{question}", row.data["question"])
        return ReasoningGymTask(ReasoningGymData(prompt=prompt, **row.data), self.config.task)

    def augment_variant(self, parent: Row, kind: str, number: int) -> Row | None:
        return vary(parent, kind, number)

    def child(self, parent: Row, problem: str, answer: str) -> Row | None:
        """None: reasoning-gym scores no task that it has not made."""
        return None
