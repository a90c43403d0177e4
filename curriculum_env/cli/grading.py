"""The rubrics that a pool can be graded by, by name."""

from __future__ import annotations

from collections.abc import Callable

from curriculum_env.errors import ConfigError
from curriculum_env.pool.content import answers, prompt_text
from curriculum_env.pool.estimate import Grade
from curriculum_env.types import Row


def grader(rubric: str) -> Grade:
    """What grades the replies to rows whose data has `prompt` and `answer`.

    Raises:
        ConfigError: there is no rubric of that name, or what it needs is not installed.
    """
    if rubric not in RUBRICS:
        raise ConfigError(
            f"there is no rubric {rubric!r}; expected {' or '.join(RUBRICS)}, or --taskset for a "
            "taskset with a rubric of its own."
        )
    return RUBRICS[rubric]()


def _math() -> Grade:
    """Right where the mathematical answer equals an accepted one."""
    from curriculum_env.rubrics.math import default_checker

    checker = default_checker()

    async def grade(row: Row, reply: str) -> float:
        prompt = prompt_text(row.data["prompt"])
        for gold in answers(row.data["answer"]):
            if await checker.verify(gold, reply, prompt):
                return 1.0
        return 0.0

    return grade


def _exact() -> Grade:
    """Right where the whole reply is an accepted answer, but for case, space and punctuation."""
    from curriculum_env.rubrics.exact import exact_match

    async def grade(row: Row, reply: str) -> float:
        return float(exact_match(answers(row.data["answer"]), reply))

    return grade


RUBRICS: dict[str, Callable[[], Grade]] = {"math": _math, "exact": _exact}
