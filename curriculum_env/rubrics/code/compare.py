"""Whether an output, or a value, is the expected one. Both are plain data of built-in types."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

RELATIVE, ABSOLUTE = 1e-6, 1e-9
DECIMAL = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d{1,3})?", re.ASCII)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
MAX_NUMBER = 400


def same_output(expected: str, found: str) -> bool:
    """Line by line, word by word: spaces at the ends of lines and empty lines at the end do not
    count, and a number with a decimal point may differ by 1e-6 of its size."""
    lines = zip_longest(_lines(expected), _lines(found))
    return all(a == b or (a is not None and b is not None and _same_line(a, b)) for a, b in lines)


def _lines(text: str) -> Iterator[str]:
    return (line.rstrip() for line in text.rstrip().splitlines())


def _same_line(expected: str, found: str) -> bool:
    pairs = zip_longest(expected.split(), found.split(), fillvalue="")
    return all(a == b or _close_words(a, b) for a, b in pairs)


def _close_words(expected: str, found: str) -> bool:
    if max(len(expected), len(found)) > MAX_NUMBER:
        return False
    if not DECIMAL.fullmatch(expected) or not NUMBER.fullmatch(found):
        return False
    return _close(float(expected), float(found))


def same_value(expected: Any, found: Any) -> bool:
    """Equal as Python would have it, but a list equals a tuple and an iterator of the same items,
    and floats may differ by 1e-6 of their size. NaN equals NaN."""
    if hasattr(found, "__next__"):
        found = list(found)
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(expected) == len(found) and all(map(same_value, expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            same_value(value, found[key]) for key, value in expected.items()
        )
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return _close_values(expected, found)
    return bool(expected == found)


def _close_values(expected: float, found: float) -> bool:
    try:
        return _close(expected, float(found))
    except OverflowError:
        return False


def _close(expected: float, found: float) -> bool:
    if math.isnan(expected):
        return math.isnan(found)
    return math.isclose(expected, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
