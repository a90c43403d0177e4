"""What a schema is, and what several of them share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from code_curriculum.problem import Problem
from curriculum_env import CallCase, Case, PoolError, ProgramCase

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Schema:
    """A dataset's place on the Hugging Face hub, the columns it has, and how a record is read.

    `read` raises `PoolError` for a record that holds no problem that can be tested.
    """

    name: str
    hub: str
    split: str
    columns: tuple[str, ...]
    read: Callable[[Record], Problem]
    licence: str
    configs: tuple[str, ...] = ()
    data_files: str = ""


def program_case(stdin: Any, stdout: Any) -> ProgramCase:
    """A case from an input and an output, each a text or a list of lines."""
    return ProgramCase(stdin=_text(stdin), stdout=_text(stdout))


def _text(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def call_case(function: str, arguments: Any, expected: Any) -> CallCase:
    """A case from arguments and a result, each JSON: one argument per line in a text, or a list."""
    if isinstance(arguments, str):
        arguments = [json.loads(line) for line in arguments.split("\n") if line.strip()]
    if isinstance(expected, str):
        expected = json.loads(expected)
    return CallCase(function=function, args=list(arguments), expected=expected)


def tested(problem: Problem) -> Problem:
    """`problem`, if an answer can fail its tests.

    Raises:
        PoolError: it has no question, no tests, or only tests that want no output.
    """
    blank = all(isinstance(case, ProgramCase) and not case.stdout.strip() for case in problem.cases)
    if not problem.question.strip() or blank:
        missing = "question" if problem.cases else "tests"
        raise PoolError(f"the problem {problem.name!r} has no {missing} to use")
    return problem


def cases_of(pairs: list[tuple[Any, Any]], function: str) -> tuple[Case, ...]:
    """Cases of pairs of input and output.

    Raises:
        PoolError: a pair is no JSON where a function is called.
    """
    try:
        if function:
            return tuple(call_case(function, given, expected) for given, expected in pairs)
        return tuple(program_case(given, expected) for given, expected in pairs)
    except ValueError as error:
        raise PoolError(f"a test of {function or 'a program'} cannot be read ({error})") from error
