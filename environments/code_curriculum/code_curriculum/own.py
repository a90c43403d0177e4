"""The problems that come with this package: six levels of eight, each with its solution."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from code_curriculum.problem import Problem
from curriculum_env import AssertCase, Case, ProgramCase

LEVELS = (1, 2, 3, 4, 5, 6)


def own_problems(levels: Sequence[int] = LEVELS, *, heldout: bool) -> Iterator[Problem]:
    """Those of one split, level by level: six of each level to train on, two held out."""
    for level in levels:
        text = (files("code_curriculum") / "problems" / f"level{level}.toml").read_text("utf-8")
        for entry in tomllib.loads(text)["problem"]:
            if entry["heldout"] == heldout:
                yield _problem(entry, level)


def _problem(entry: dict[str, Any], level: int) -> Problem:
    function = entry.get("function", "")
    return Problem(
        name=entry["name"],
        question=entry["prompt"].strip(),
        cases=tuple(_cases(entry, function)),
        function=function,
        solution=entry["solution"].strip() + "\n",
        topic=entry["topic"],
        level=str(level),
    )


def _cases(entry: dict[str, Any], function: str) -> Iterator[Case]:
    for test in entry.get("tests", []):
        yield AssertCase(test=test, names=[function])
    for run in entry.get("runs", []):
        yield ProgramCase(**run)
