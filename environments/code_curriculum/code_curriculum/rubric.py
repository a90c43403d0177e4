"""What a reply earns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from code_curriculum.parser import parse_code
from curriculum_env import Case, CodeLimits, run_tests

Scale: TypeAlias = Literal["all", "fraction"]


@dataclass(frozen=True, slots=True)
class Grade:
    """`reward` is what training sees; `metrics` say why."""

    reward: float
    metrics: dict[str, float]


NO_CODE = Grade(0.0, {"correct": 0.0, "tests_passed": 0.0, "no_code": 1.0, "beyond_limits": 0.0})
BEYOND = ("timeout", "memory", "processes", "output")


async def grade(
    reply: str,
    cases: Sequence[Case],
    runtime: Any,
    *,
    function: str = "",
    scale: Scale = "all",
    limits: CodeLimits | None = None,
) -> Grade:
    """Run the reply's code against the tests in `runtime`.

    With `scale` "all" the reward is 1 if every test passes, else 0, and what comes after the first
    failure is not run; with "fraction" it is the share of the tests that pass.

    Raises:
        curriculum_env.CurriculumError: the tests could not be run; the reply earned nothing yet.
    """
    code = parse_code(reply, function)
    if code is None:
        return NO_CODE
    result = await run_tests(code, cases, runtime, limits, stop_at_failure=scale == "all")
    failure = result.failure
    metrics = {
        "correct": result.all_passed,
        "tests_passed": result.fraction,
        "no_code": 0.0,
        "beyond_limits": float(failure is not None and failure.status in BEYOND),
    }
    return Grade(result.all_passed if scale == "all" else result.fraction, metrics)
