"""What a reply earns."""

from __future__ import annotations

from dataclasses import dataclass

from arithmetic_curriculum.parser import parse_answer

CORRECT = 1.0
WRONG = 0.0


@dataclass(frozen=True, slots=True)
class Grade:
    """`reward` is what training sees; `correct` and `invalid` (no number found) are each 0 or 1."""

    reward: float
    correct: float
    invalid: float


def grade(reply: str, answer: int, invalid_reward: float = WRONG) -> Grade:
    """1 for the right number, 0 for a wrong one, `invalid_reward` for a reply without a number.

    The default keeps every reward in [0, 1], so that the mean reward is the pass rate. -1 (as in
    HeaPA, arXiv:2601.22448) also teaches a policy to answer at all; the curriculum counts it as a
    failure, like a wrong answer.
    """
    number = parse_answer(reply)
    if number is None:
        return Grade(invalid_reward, 0.0, 1.0)
    correct = float(number == answer)
    return Grade(CORRECT if correct else WRONG, correct, 0.0)
