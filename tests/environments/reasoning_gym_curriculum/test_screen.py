from __future__ import annotations

import inspect
import re

import pytest
from reasoning_gym_curriculum.families import families
from reasoning_gym_curriculum.screen import (
    EVALUATED_AS_FORMULA,
    EVALUATED_AS_LIST,
    is_formula,
    may_be_scored,
)

EVALUATES = re.compile(r"(?<![a-z_.])eval\(|exec\(|parse_expr\(|sympify\(")


@pytest.mark.parametrize(
    "text",
    ["3*x**2 + 1", "-exp(2*x)*cos(x)/2", "(1 + 2) * 3", "x**(1/3)", "1.5e3", "log(Abs(x)) + C"],
)
def test_formulas(text: str) -> None:
    assert is_formula(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "open('/etc/passwd')",
        "exit()",
        "(1).__class__",
        "x.diff",
        "[1, 2]",
        "lambda x: x",
        "sin(x, y)",
        "sin(*x)",
        "Symbol('x')",
        "9**9**9",
        "2**1001",
        "9" * 41,
        "x if x else y",
        "x == y",
        "'x'",
        "True",
        "(" * 5000,
        "",
        "not python at all",
        "\0",
    ],
)
def test_what_is_no_formula(text: str) -> None:
    assert not is_formula(text)


def test_lists_written_out_may_be_evaluated_and_expressions_not() -> None:
    for family in EVALUATED_AS_LIST:
        assert may_be_scored(family, "[[1, 0], ['a', 2]]")
        assert may_be_scored(family, "1 2 3\n4 5 6")
        assert not may_be_scored(family, "[open('x', 'w')]")
        assert not may_be_scored(family, "[1] * 10**9")
        assert not may_be_scored(family, "exit")


def test_what_is_very_long_goes_to_no_scorer() -> None:
    assert not may_be_scored("chain_sum", "1" * 100_001)
    assert may_be_scored("chain_sum", "1" * 100_000)


def test_the_scorers_that_evaluate_are_those_that_are_listed() -> None:
    """Scorers of a newer reasoning-gym that evaluate too would show here."""
    from reasoning_gym.factory import DATASETS

    found = {
        family
        for family in families()
        if EVALUATES.search(inspect.getsource(DATASETS[family][0].score_answer))
    }
    trusting = {"number_sorting"}  # evaluates the task's own answer, not the model's
    assert found - trusting == EVALUATED_AS_LIST | EVALUATED_AS_FORMULA
