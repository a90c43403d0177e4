"""What a reply earns.

Finding the answer in a reply and comparing it are one job, done by `curriculum_env`'s math rubric:
in processes of its own, which can be neither hung nor fooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from curriculum_env import MathChecker

CORRECT = 1.0
WRONG = 0.0


@dataclass(frozen=True, slots=True)
class Grade:
    """`reward` is what training sees; `correct` and `invalid` (no answer found) are each 0 or 1."""

    reward: float
    correct: float
    invalid: float


@cache
def checker() -> MathChecker:
    """The checker of this process; its workers start with the first check."""
    return MathChecker()


async def grade(
    reply: str, answers: Sequence[str], question: str, invalid_reward: float = WRONG
) -> Grade:
    """1 for a reply that settles on one of `answers`, `invalid_reward` for one that settles on
    none, else 0. What only repeats the `question` is no answer.

    Raises:
        CheckerError: the checker's processes cannot be started.
    """
    verdicts = []
    for answer in answers:
        verdict = await checker().check(answer, reply, question)
        if verdict.correct:
            return Grade(CORRECT, 1.0, 0.0)
        verdicts.append(verdict.status)
    if all(status == "no answer" for status in verdicts):
        return Grade(invalid_reward, 0.0, 1.0)
    return Grade(WRONG, 0.0, 0.0)


def sound(answers: Sequence[Sequence[str]]) -> list[list[str]]:
    """Of each task's answers those that a reply can be measured against.

    Raises:
        CheckerError: the checker's processes cannot be started.
    """
    flat = [answer for task in answers for answer in task]
    bad = {problem.index for problem in checker().check_golds(flat)}
    left = iter([None if index in bad else answer for index, answer in enumerate(flat)])
    return [[one for _ in task if (one := next(left)) is not None] for task in answers]
