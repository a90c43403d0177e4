"""A worker's side of a check: from a gold answer and a completion to a verdict."""

from __future__ import annotations

from curriculum_env.rubrics.math.extract import extract_answer
from curriculum_env.rubrics.math.latex import tidy
from curriculum_env.rubrics.math.limits import too_costly
from curriculum_env.rubrics.math.numbers import exact, plain_numbers
from curriculum_env.rubrics.math.symbolic import equal, expression
from curriculum_env.rubrics.math.verdict import Verdict


def judge(gold: str, completion: str, prompt: str | None) -> Verdict:
    """Whether `completion` answers `gold`."""
    answer = extract_answer(completion, prompt)
    if answer is None:
        return Verdict("no answer")
    return Verdict("correct" if _same(gold, answer) else "wrong", answer)


def _same(gold: str, answer: str) -> bool:
    ours, theirs = (plain_numbers(tidy(text), commas=True) for text in (gold, answer))
    if ours == theirs:
        return True
    one, two = exact(ours), exact(theirs)
    if one is not None and two is not None:
        return one.value == two.value
    left, right = expression(ours), expression(theirs)
    return left is not None and right is not None and equal(left, right)


def gold_problem(gold: str) -> str | None:
    """Why nothing could be compared with `gold`."""
    text = tidy(gold)
    if not text:
        return "is empty"
    return "is too large to compute with" if too_costly(text) else None


def warm_up() -> None:
    """Load the libraries, and teach the parser's caches the usual forms."""
    judge("1", "2", None)
