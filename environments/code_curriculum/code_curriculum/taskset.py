"""The problems as verifiers tasks, handed out by the curriculum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import verifiers.v1 as vf
from pydantic import Field, model_validator

from code_curriculum.dataset import dataset_rows, open_source
from code_curriculum.own import LEVELS, own_problems
from code_curriculum.rubric import Scale, grade
from curriculum_env import (
    Case,
    CodeLimits,
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    CurriculumTasksetConfig,
    Row,
    run_tests,
)

FUNCTION = "Answer with the function in one Python code block."
PROGRAM = "Answer with a program that reads standard input, in one Python code block."


class CodeData(CurriculumTaskData):
    """One problem, its hidden tests and, where one is known, a solution."""

    question: str
    cases: list[Case]
    function: str = ""
    solution: str = ""


class CodeTaskConfig(CurriculumTaskConfig):
    """Settings of the scoring."""

    reward: Scale = "all"
    """`all`: 1 if every test passes, else 0. `fraction`: the share of the tests that pass."""
    limits: CodeLimits = CodeLimits()
    """What an answer may use while it is tested, and how it is walled in."""


class CodeTask(CurriculumTaskMixin, vf.Task[CodeData, vf.State, CodeTaskConfig]):
    """Runs the reply's code against the tests, in the rollout's runtime."""

    @vf.reward(weight=1.0)
    async def reward(self, trace: vf.Trace, runtime: vf.Runtime) -> float:
        """What the reply earns; the metrics are recorded with it, as the tests run but once."""
        found = await grade(
            trace.last_reply,
            self.data.cases,
            runtime,
            function=self.data.function,
            scale=self.config.reward,
            limits=self.config.limits,
        )
        trace.record_metrics(found.metrics)
        return found.reward

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the known solution passes; None where none is known."""
        if not self.data.solution:
            return None
        result = await run_tests(self.data.solution, self.data.cases, runtime, self.config.limits)
        return bool(result.all_passed)


class CodeTasksetConfig(CurriculumTasksetConfig):
    """Settings of the pool."""

    source: str = ""
    """Unset, this package's own problems. Else `SCHEMA[=PLACE][@SPLIT]`: the schema `mbpp`,
    `humaneval`, `deepcoder` or `livecodebench`, and a file, folder or dataset of the hub."""
    heldout_source: str = ""
    """The held-out split, written like `source`; unset, a share of `source` is set apart."""
    heldout: float = Field(0.1, gt=0, lt=1)
    """Share of `source` that is held out, by a hash of the question."""
    levels: list[int] = Field(list(LEVELS), min_length=1)
    """The levels of the own problems to use, 1 (one step) to 6 (an algorithm)."""
    size: int | None = Field(None, ge=1)
    """Most problems taken from `source`; unset, all."""
    max_tests: int = Field(16, ge=1)
    """Most tests of a problem; of more, those with the longest inputs are kept."""
    function_prompt: str = FUNCTION
    """What stands below a question that asks for a function."""
    program_prompt: str = PROGRAM
    """What stands below a question that asks for a program."""
    task: CodeTaskConfig = CodeTaskConfig()

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if not set(self.levels) <= set(LEVELS):
            raise ValueError(f"levels is {self.levels}; expected one or more of {list(LEVELS)}")
        for source in filter(None, (self.source, self.heldout_source)):
            open_source(source)
        return self


class CodeTaskset(CurriculumMixin, vf.Taskset[CodeTask, CodeTasksetConfig]):
    """Programming problems, drawn where the policy sometimes succeeds and sometimes fails."""

    def rows(self) -> Iterator[Row]:
        return self._rows(heldout=False)

    def heldout_rows(self) -> Iterator[Row]:
        if self.config.heldout_source:
            return self._read(self.config.heldout_source, heldout=False, share=0.0)
        return self._rows(heldout=True)

    def _rows(self, *, heldout: bool) -> Iterator[Row]:
        settings = self.config
        if not settings.source:
            problems = own_problems(settings.levels, heldout=heldout)
            return (problem.row() for problem in problems)
        share = 0.0 if settings.heldout_source else settings.heldout
        return self._read(settings.source, heldout=heldout, share=share)

    def _read(self, source: str, *, heldout: bool, share: float) -> Iterator[Row]:
        settings = self.config
        return dataset_rows(
            source,
            heldout=heldout,
            share=share,
            size=settings.size,
            max_tests=settings.max_tests,
        )

    def task(self, row: Row) -> CodeTask:
        how = self.config.function_prompt if row.data["function"] else self.config.program_prompt
        question = f"{row.data['question']}\n\n{how}"
        return CodeTask(CodeData(prompt=question, **row.data), self.config.task)
