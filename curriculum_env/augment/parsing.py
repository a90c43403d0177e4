"""What a model's reply holds. Strict: a reply that could be read in two ways is not read."""

from __future__ import annotations

import re

from curriculum_env.augment.proposal import Discard, Variant, clamped

LONGEST_REPLY = 100_000

_THOUGHT = re.compile(r"<think>.*?</think>|\A.*</think>|<think>.*\Z", re.DOTALL)
_PROBLEM = re.compile(r"<\s*(?:/\s*)?problem\b", re.IGNORECASE)
_DIFFICULTY = re.compile(r"<difficulty>([^<>]*)</difficulty>")
_ANSWER = re.compile(r"<answer>([^<>]*)</answer>")
_TAG = re.compile(r"<\s*(?:/\s*)?(?:problem|difficulty|answer|think)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\s*([0-9]{1,4}(?:\.[0-9]{1,9})?|\.[0-9]{1,9})\s*[x×]?\s*")


def spoken(reply: str) -> str:
    """The reply without its thoughts, finished or not."""
    return _THOUGHT.sub("", reply[:LONGEST_REPLY])


def parse_variant(reply: str) -> Variant | Discard:
    """The one `<problem>` of a reply, and its `<difficulty>`, 1 where that cannot be read."""
    text = spoken(reply)
    opened, _, rest = text.partition("<problem>")
    inside, closed, after = rest.partition("</problem>")
    if not closed:
        return Discard("no_problem")
    if _PROBLEM.search(opened + " " + after):
        return Discard("tags")
    problem = inside.strip()
    if _TAG.search(problem):
        return Discard("tags")
    if not problem:
        return Discard("no_problem")
    return Variant(problem, _factor(_DIFFICULTY.findall(text)))


def _factor(found: list[str]) -> float:
    number = _NUMBER.fullmatch(found[0]) if len(found) == 1 else None
    return clamped(float(number[1])) if number else 1.0


def parse_answer(reply: str) -> str | None:
    """The one `<answer>` of a reply; None where there is none, an empty one, or answers that
    differ."""
    found = {answer.strip() for answer in _ANSWER.findall(spoken(reply))}
    return (found.pop() or None) if len(found) == 1 else None
