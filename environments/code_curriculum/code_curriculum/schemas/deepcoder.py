"""DeepCoder's training set, a collection (PrimeIntellect, TACO, LiveCodeBench, Codeforces), and
others of its forms: a problem and its tests in one text of JSON."""

from __future__ import annotations

import json
from typing import Any

from code_curriculum.problem import Problem
from code_curriculum.schemas.base import Record, Schema, cases_of, tested
from curriculum_env import Case, PoolError, content_uid


def read(record: Record) -> Problem:
    """Its tests are `{"inputs", "outputs", "fn_name"}` (TACO, APPS) or a list of
    `{"input", "output"}` with a `fn_name` or, in `metadata`, a `func_name`."""
    question = str(record.get("problem") or record.get("question") or "").strip()
    starter = str(record.get("starter_code") or "").strip()
    function, cases = tests_of(record.get("tests") or record.get("input_output"), record)
    if starter:
        question += f"\n\nStart from this code:\n\n```python\n{starter}\n```"
    solutions = _parsed(record.get("solutions")) or [""]
    problem = Problem(
        name=str(record.get("id") or content_uid({"question": question})),
        question=question,
        cases=cases,
        function=function,
        solution=_code(solutions[0] if isinstance(solutions, list) else solutions),
        topic="deepcoder",
        level=str(record.get("difficulty") or ""),
    )
    return tested(problem)


def tests_of(tests: Any, record: Record) -> tuple[str, tuple[Case, ...]]:
    """The function that is called, empty for a program, and the cases.

    Raises:
        PoolError: the tests are of no known form.
    """
    tests = _parsed(tests)
    if isinstance(tests, dict) and {"inputs", "outputs"} <= tests.keys():
        function = str(tests.get("fn_name") or "")
        pairs = list(zip(tests["inputs"], tests["outputs"], strict=False))
        return function, cases_of([(i, _only(o, function)) for i, o in pairs], function)
    if isinstance(tests, list) and all(isinstance(test, dict) for test in tests):
        function = next((name for test in tests if (name := _function(test, record))), "")
        pairs = [(test.get("input", ""), test.get("output", "")) for test in tests]
        return function, cases_of(pairs, function)
    raise PoolError(f"tests of an unknown form: {str(tests)[:80]!r}")


def _only(output: Any, function: str) -> Any:
    """APPS and TACO wrap the result of a function in a list of one."""
    return output[0] if function and isinstance(output, list) and len(output) == 1 else output


def _function(test: dict[str, Any], record: Record) -> str:
    meta = _parsed(test.get("metadata")) or {}
    whole = _parsed(record.get("metadata")) or {}
    found = test.get("fn_name") or meta.get("func_name")
    if not found and test.get("testtype") == "functional":
        found = whole.get("func_name")
    return str(found or "")


def _parsed(value: Any) -> Any:
    """`value`, read as JSON if it is a text that is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _code(solution: Any) -> str:
    """A solution without the Markdown fence some come in."""
    text = str(solution or "").strip()
    if text.startswith("```"):
        text = text.partition("\n")[2].rpartition("```")[0]
    return text.strip() + "\n" if text.strip() else ""


DEEPCODER = Schema(
    name="deepcoder",
    hub="agentica-org/DeepCoder-Preview-Dataset",
    split="train",
    configs=("primeintellect", "taco", "lcbv5"),
    columns=(
        *("problem", "question", "tests", "input_output", "solutions", "starter_code"),
        *("metadata", "difficulty", "id"),
    ),
    read=read,
    licence="MIT",
)
