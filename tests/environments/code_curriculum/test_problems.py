from __future__ import annotations

import ast
import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import pytest
import verifiers.v1 as vf
from code_curriculum.own import LEVELS, own_problems
from code_curriculum.problem import Problem, hardest
from verifiers.v1.runtimes import provision_runtime

from curriculum_env import AssertCase, CodeLimits, ProgramCase, run_tests
from tests.environments.code_curriculum.solving import PROBLEMS

TRAIN = list(own_problems(heldout=False))
HELD_OUT = list(own_problems(heldout=True))


@pytest.fixture
async def runtime() -> AsyncIterator[Any]:
    async with provision_runtime(vf.SubprocessConfig()) as running:
        yield running


def test_there_are_eight_of_each_level() -> None:
    assert Counter(problem.level for problem in PROBLEMS) == {str(level): 8 for level in LEVELS}
    assert Counter(problem.level for problem in HELD_OUT) == {str(level): 2 for level in LEVELS}


def test_the_splits_share_nothing() -> None:
    for key in ("name", "question", "solution"):
        assert len({getattr(problem, key) for problem in PROBLEMS}) == 48
    assert {p.row().uid for p in TRAIN}.isdisjoint(p.row().uid for p in HELD_OUT)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_a_problem_has_tests_and_names_what_they_call(problem: Problem) -> None:
    assert len(problem.cases) >= 3
    if problem.function:
        assert f"`{problem.function}(" in problem.question
        assert f"def {problem.function}(" in problem.solution
    assert {type(case) for case in problem.cases} == {
        AssertCase if problem.function else ProgramCase
    }
    ast.parse(problem.solution)


async def test_every_solution_to_train_on_passes(runtime: Any) -> None:
    """Two at a time. The held-out ones are checked by `vf-validate`."""
    gate = asyncio.Semaphore(2)

    async def check(problem: Problem) -> None:
        async with gate:
            right = await run_tests(problem.solution, problem.cases, runtime)
            assert right.all_passed, (problem.name, right)

    await asyncio.gather(*map(check, TRAIN))


@pytest.mark.parametrize("problem", HELD_OUT, ids=lambda problem: problem.name)
async def test_an_empty_answer_fails_every_test(runtime: Any, problem: Problem) -> None:
    empty = f"def {problem.function}(*args): ..." if problem.function else ""
    nothing = await run_tests(
        empty, problem.cases[:1], runtime, CodeLimits(), stop_at_failure=False
    )
    assert nothing.passed == 0


def test_of_many_tests_those_with_the_longest_inputs_are_kept() -> None:
    cases = tuple(ProgramCase(stdin="x" * size, stdout="y") for size in (5, 1, 9, 3))
    assert [len(case.stdin) for case in hardest(cases, 2)] == [5, 9]  # type: ignore[union-attr]
    assert hardest(cases, 4) == cases
