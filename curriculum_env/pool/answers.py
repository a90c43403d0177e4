"""Whether two gold answers are the same answer, as far as spelling goes."""

from __future__ import annotations

import re
from fractions import Fraction

from curriculum_env.pool.normal import plain

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?)?")
_UNITS = re.compile(r"(?<=\d)\s*(?:degrees|dollars|%|percent)$")
LONGEST = 1000
"""Characters of a number that is still read as one."""


def answer_key(answer: str) -> str:
    """Equal for answers that are the same number, or differ in white space, LaTeX or case."""
    text = "".join(
        _UNITS.sub("", plain(answer.replace("\\%", "%").strip().rstrip(".")).strip()).split()
    )
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        return text or answer.strip()
    over, _, under = text.partition("/")
    return (
        str(Fraction(over) / Fraction(under)) if under and Fraction(under) else str(Fraction(over))
    )


LONGEST = 1000
"""Characters of a number that is still read as one."""


def answer_keys(answers: list[str]) -> frozenset[str]:
    """The keys of all accepted answers; none where none is known."""
    return frozenset(map(answer_key, answers))
