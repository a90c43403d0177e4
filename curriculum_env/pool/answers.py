"""Whether two gold answers are the same answer, as far as spelling goes."""

from __future__ import annotations

import re
from fractions import Fraction

from curriculum_env.pool.normal import plain

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?)?")
_UNIT = re.compile(r"(?<=\d)\s*(?:%|([a-z]+)(?: [a-z]+)?(?:\^?[23])?)$")
_SHORT_UNITS = {*("m", "g", "l", "s", "h", "cm", "mm", "km", "kg", "mg", "ml"), *("ft", "in", "lb")}
_NO_UNITS = {*("hundred", "thousand", "million", "billion", "trillion", "dozen"), *("sqrt", "mod")}
_NAMED = re.compile(r"^[a-z]\s*=\s*(?=[-\d])")
LONGEST = 1000
"""Characters of a number that is still read as one."""


def answer_key(answer: str) -> str:
    """Equal for answers that are the same number, whatever its unit and the variable it is said to
    be, or differ in white space, LaTeX or case."""
    folded = plain(answer.replace("\\%", "%").strip().rstrip(".")).strip()
    text = "".join(_UNIT.sub(_without_unit, _NAMED.sub("", folded)).split())
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        return text or answer.strip()
    over, _, under = text.partition("/")
    return (
        str(Fraction(over) / Fraction(under)) if under and Fraction(under) else str(Fraction(over))
    )


LONGEST = 1000
"""Characters of a number that is still read as one."""


def _without_unit(found: re.Match[str]) -> str:
    """Nothing for a unit; what looks like one and is not (`2x`, `2pi`, `5 pm`, `3 million`) as it
    stands."""
    word = found[1]
    long = word is not None and len(word) > 2 and word not in _NO_UNITS
    return "" if word is None or long or word in _SHORT_UNITS else found[0]


def answer_keys(answers: list[str]) -> frozenset[str]:
    """The keys of all accepted answers; none where none is known."""
    return frozenset(map(answer_key, answers))
