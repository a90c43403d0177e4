"""The problems as verifiers tasks, handed out by the curriculum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self

import verifiers.v1 as vf
from pydantic import Field, FiniteFloat, NonNegativeFloat, model_validator

from arithmetic_curriculum.asking import CHANGES, variant_prompt
from arithmetic_curriculum.dataset import heldout_rows, train_rows
from arithmetic_curriculum.expression import Expression
from arithmetic_curriculum.fresh import fresh_problem, fresh_sum
from arithmetic_curriculum.levels import LEVELS
from arithmetic_curriculum.placing import ladder_row, sum_row
from arithmetic_curriculum.rubric import WRONG, Grade, grade
from arithmetic_curriculum.sums import LONGEST, heldout_sums, sum_rows
from arithmetic_curriculum.variants import child_of, solve, vary
from curriculum_env import (
    Annotation,
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    CurriculumTasksetConfig,
    Discard,
    Row,
)

PROMPT = "What is {expression}? Answer with the number only."


class ArithmeticData(CurriculumTaskData):
    """One problem and its answer."""

    expression: str
    answer: int


class ArithmeticTaskConfig(CurriculumTaskConfig):
    """Settings of the scoring."""

    invalid_reward: FiniteFloat = WRONG
    """The reward of a reply without a number; -1 teaches a policy to answer at all."""


class ArithmeticTask(CurriculumTaskMixin, vf.Task[ArithmeticData, vf.State, ArithmeticTaskConfig]):
    """Scores the reply's final number."""

    def grade(self, trace: vf.Trace) -> Grade:
        """The grade of the last reply; a rollout cut off before it gave none is invalid."""
        return grade(trace.last_reply, self.data.answer, self.config.invalid_reward)

    @vf.reward(weight=1.0)
    async def reward(self, trace: vf.Trace) -> float:
        """1 for the right number, 0 for a wrong one, `invalid_reward` without one."""
        return self.grade(trace).reward

    @vf.metric
    async def correct(self, trace: vf.Trace) -> float:
        """Whether the reply gives the right number."""
        return self.grade(trace).correct

    @vf.metric
    async def invalid(self, trace: vf.Trace) -> float:
        """Whether the reply gives no number."""
        return self.grade(trace).invalid


class ArithmeticTasksetConfig(CurriculumTasksetConfig):
    """Settings of the pool."""

    size: int = Field(10_000, ge=1)
    """How many training problems; fewer when the levels asked for do not have that many."""
    seed: int = Field(0, ge=0)
    """Which training problems; the held-out ones are always the same."""
    levels: list[int] = Field(list(LEVELS), min_length=1)
    """The levels to use, 1 (one-digit numbers) to 8 (nested expressions of up to five numbers)."""
    sums: list[NonNegativeFloat] = Field([], max_length=LONGEST)
    """Instead of the levels, sums graded by the lengths of both operands: the weights of operands
    of 1, 2, ... digits; empty, the levels."""
    generate: bool = False
    """Make new problems on the way, beyond `size`, as `curriculum.generate` says."""
    prompt: str = PROMPT
    """What the model is asked, with `{expression}` where the problem goes."""
    task: ArithmeticTaskConfig = ArithmeticTaskConfig()

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if not set(self.levels) <= set(LEVELS):
            raise ValueError(f"levels is {self.levels}; expected one or more of {list(LEVELS)}")
        if self.sums and not 0.0 < sum(self.sums) < math.inf:
            raise ValueError(f"sums is {self.sums}; expected finite weights, not all 0")
        if "{expression}" not in self.prompt:
            raise ValueError(
                f"prompt is {self.prompt!r}; expected a text with {{expression}} in it"
            )
        if not self.curriculum.in_range(self.task.invalid_reward):
            raise ValueError(
                f"task.invalid_reward is {self.task.invalid_reward}; expected a reward within "
                f"curriculum.reward_range {list(self.curriculum.reward_range)}, or "
                f"curriculum.invalid_reward ({self.curriculum.invalid_reward})"
            )
        return self


class ArithmeticTaskset(CurriculumMixin, vf.Taskset[ArithmeticTask, ArithmeticTasksetConfig]):
    """Arithmetic problems, drawn where the policy sometimes succeeds and sometimes fails."""

    def rows(self) -> Iterator[Row]:
        config = self.config
        if config.sums:
            return sum_rows(config.size, config.sums, config.seed)
        return train_rows(config.size, config.seed, config.levels)

    def heldout_rows(self) -> Iterator[Row]:
        if self.config.sums:
            return heldout_sums(len(self.config.sums))
        return heldout_rows(self.config.levels)

    def generator(self) -> Callable[[int], Row | None] | None:
        config = self.config
        if not config.generate:
            return None
        if config.sums:
            return partial(fresh_sum, weights=config.sums, seed=config.seed)
        return partial(fresh_problem, seed=config.seed, levels=config.levels)

    def task(self, row: Row) -> ArithmeticTask:
        question = self.config.prompt.replace("{expression}", row.data["expression"])
        return ArithmeticTask(ArithmeticData(prompt=question, **row.data), self.config.task)

    def augment_text(self, row: Row) -> str:
        """A variant is asked for as a question, without the task's instructions."""
        return f"What is {row.data['expression']}?"

    def augment_prompt(self, parent: Row, kind: Any) -> Any:
        if kind not in CHANGES:
            return super().augment_prompt(parent, kind)
        return variant_prompt(self.augment_text(parent), parent.domain, kind)

    def augment_variant(self, parent: Row, kind: str, number: int) -> Row | None:
        return vary(parent, kind, number, self._place)

    def teacher(self) -> Callable[[Row, str], Annotation | Discard]:
        return lambda parent, problem: solve(problem, self._place)

    def child(self, parent: Row, problem: str, answer: str) -> Row | None:
        return child_of(problem, answer, self._place)

    async def augment_accepts(self, row: Row) -> bool:
        return grade(str(row.data["answer"]), row.data["answer"]).correct == 1.0

    def _place(self, expression: Expression) -> Row | None:
        if self.config.sums:
            return sum_row(expression, len(self.config.sums))
        return ladder_row(expression)
