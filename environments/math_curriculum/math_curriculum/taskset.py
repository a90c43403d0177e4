"""The problems as verifiers tasks, handed out by the curriculum."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Self

import verifiers.v1 as vf
from pydantic import Field, FiniteFloat, model_validator

from curriculum_env import (
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    CurriculumTasksetConfig,
    Row,
)
from math_curriculum.dataset import Where, answers_of, heldout_rows, train_rows
from math_curriculum.question import PROMPT, asked, text_of
from math_curriculum.rubric import WRONG, Grade, grade, sound


class MathData(CurriculumTaskData):
    """One problem and the answers that are right."""

    question: str
    answers: list[str]
    source: str
    licence: str


class MathTaskConfig(CurriculumTaskConfig):
    """Settings of the scoring."""

    invalid_reward: FiniteFloat = WRONG
    """The reward of a reply without an answer; -1 teaches a policy to answer at all."""


class MathTask(CurriculumTaskMixin, vf.Task[MathData, vf.State, MathTaskConfig]):
    """Scores the answer a reply settles on."""

    @vf.reward
    async def reward(self, trace: vf.Trace) -> float:
        """1 for a right answer, 0 for a wrong one, `invalid_reward` without one."""
        graded = await self._grade(trace.last_reply)
        trace.record_metric("correct", graded.correct)
        trace.record_metric("invalid", graded.invalid)
        return graded.reward

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether each of the answers, in a box, counts as right."""
        grades = [await self._grade(f"\\boxed{{{answer}}}") for answer in self.data.answers]
        return all(graded.correct == 1.0 for graded in grades)

    async def _grade(self, reply: str) -> Grade:
        data = self.data
        return await grade(reply, data.answers, data.question, self.config.invalid_reward)


class MathTasksetConfig(CurriculumTasksetConfig):
    """Settings of the pool."""

    pool: str | None = None
    """A pool of `curriculum-env pool build`, a preset such as `gsm8k`, a parquet, JSONL or CSV
    file, or a dataset of the Hugging Face hub, as `curriculum-env pool build` takes them. Unset:
    the 120 problems that come with this package."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Where problem and answer are, unless the pool says so itself: `prompt`, `answer`, `domain`,
    `level` and others, each with the path of its column."""
    size: int | None = Field(None, ge=1)
    """How many training problems at most."""
    heldout: float = Field(0.2, gt=0, lt=1)
    """The share of the questions that is never trained on, chosen by a hash."""
    heldout_size: int = Field(500, ge=1)
    """How many of these the `heldout` split has at most."""
    heldout_pool: str | None = None
    """Another pool to evaluate on, whole, such as `math500`: a preset or a pool of `curriculum-env
    pool build`. Its questions are then what is never trained on, in the place of a share."""
    check_answers: bool = True
    """Leave out problems with whose answers no reply can be compared; takes a second for some
    hundred problems."""
    prompt: str = PROMPT
    """What the model is asked, with `{problem}` where the problem goes."""
    task: MathTaskConfig = MathTaskConfig()

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if "{problem}" not in self.prompt:
            raise ValueError(f"prompt is {self.prompt!r}; expected a text with {{problem}} in it")
        if self.columns and self.pool is None:
            raise ValueError("columns is set but pool is not; expected both: name the pool")
        if not self.curriculum.in_range(self.task.invalid_reward):
            raise ValueError(
                f"task.invalid_reward is {self.task.invalid_reward}; expected a reward within "
                f"curriculum.reward_range {list(self.curriculum.reward_range)}, or "
                f"curriculum.invalid_reward ({self.curriculum.invalid_reward})"
            )
        return self

    def where(self) -> Where:
        """The pool these settings describe."""
        return Where(
            pool=self.pool,
            columns=tuple(sorted(self.columns.items())),
            heldout=self.heldout,
            heldout_size=self.heldout_size,
            heldout_pool=self.heldout_pool,
            check_answers=self.check_answers,
        )


class MathTaskset(CurriculumMixin, vf.Taskset[MathTask, MathTasksetConfig]):
    """Problems of mathematics, drawn where the policy sometimes succeeds and sometimes fails."""

    def rows(self) -> Iterator[Row]:
        return iter(train_rows(self.config.where(), self.config.size))

    def heldout_rows(self) -> Iterator[Row]:
        return iter(heldout_rows(self.config.where()))

    async def augment_accepts(self, row: Row) -> bool | None:
        """Whether a reply can be compared with each of the answers, and each counts as right."""
        answers = list(answers_of(row.data))
        (kept,) = await asyncio.to_thread(sound, [answers])
        return kept == answers and await super().augment_accepts(row)

    def task(self, row: Row) -> MathTask:
        problem = row.data["prompt"]
        data = MathData(
            prompt=asked(problem, self.config.prompt),
            question=text_of(problem),
            answers=list(answers_of(row.data)),
            source=row.data["source"],
            licence=row.data["licence"],
        )
        return MathTask(data, self.config.task)
