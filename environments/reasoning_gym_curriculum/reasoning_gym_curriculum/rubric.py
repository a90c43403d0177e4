"""What a reply earns."""

from __future__ import annotations

from dataclasses import dataclass

from reasoning_gym_curriculum import child
from reasoning_gym_curriculum.confined import Where
from reasoning_gym_curriculum.parser import parse_answer


@dataclass(frozen=True, slots=True)
class Grade:
    """`reward` in [0, 1] is what reasoning-gym's scorer says, which in many families gives a part
    for a part; `late` is 1 when the scorer was not done in time, and the reward then 0."""

    reward: float
    late: float


async def grade(reply: str, question: str, where: Where) -> Grade:
    """The grade of a reply to the task at `where`, whose question is `question`.

    Raises:
        ReproducibilityError: reasoning-gym makes another task there.
    """
    earned = await child.score(where, question, parse_answer(reply))
    return Grade(0.0, 1.0) if earned is None else Grade(earned, 0.0)
