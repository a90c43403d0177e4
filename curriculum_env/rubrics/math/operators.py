"""Answers that keep a sum, a product, an integral or a limit: math-verify compares them."""

from __future__ import annotations

import re
from typing import Any

from latex2sympy2_extended.math_normalization import NormalizationConfig
from math_verify import LatexExtractionConfig, parse, verify

from curriculum_env.rubrics.math.symbolic import same_number

_OPERATOR = re.compile(r"\\(?:int|sum|prod|lim)(?![A-Za-z])")
_READING = [
    LatexExtractionConfig(
        boxed_match_priority=-1,
        normalization_config=NormalizationConfig(units=False, boxed="none"),
    )
]


def operators(text: str) -> set[str]:
    """The big operators that `text` holds."""
    return set(_OPERATOR.findall(text))


def same_operation(gold: str, other: str) -> bool:
    """Whether two expressions with the same operators are equal; false for any other.

    The worker's clock bounds this, as math-verify's own would take the alarm from it.
    """
    if not operators(gold) or operators(gold) != operators(other):
        return False
    ours, theirs = _read(gold), _read(other)
    if ours is None or theirs is None or ours.free_symbols != theirs.free_symbols:
        return False
    if not ours.free_symbols:
        return same_number(ours, theirs)
    return bool(verify(ours, theirs, timeout_seconds=None))


def _read(text: str) -> Any:
    found = parse(f"${text}$", _READING, fallback_mode="no_fallback", parsing_timeout=None)
    return found[0] if found and hasattr(found[0], "free_symbols") else None
