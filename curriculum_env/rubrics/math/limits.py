"""Which expressions are too long, too deep or too large to be looked at.

Big-integer arithmetic cannot be interrupted from within Python, so that such expressions are
turned away before a library reads them. What is let through by mistake still ends by the clock.
"""

from __future__ import annotations

import math
import re

from curriculum_env.rubrics.math.scan import argument, depths, tokens

MAX_LENGTH = 1_500
MAX_DEPTH = 24
MAX_DIGITS = 300
MAX_EXPONENT = 20_000.0
MAX_FACTORIAL = 5_000.0
MAX_TOWER = 40

_FACTORIAL = re.compile(r"(\d+|\}|\))\s*!|!\s*(\d+)|\\Gamma")
_EXACT = re.compile(r"\\(?:gcd|lcm|max|min|lfloor|lceil|bmod|pmod|mod|binom)(?![A-Za-z])")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def too_costly(text: str) -> bool:
    """Whether `text`, a tidy one, is no honest answer by its size alone."""
    if len(text) > MAX_LENGTH or re.search(rf"\d{{{MAX_DIGITS + 1}}}", text):
        return True
    parts = tokens(text)
    if max((depth for _, depth in depths(parts)), default=0) > MAX_DEPTH:
        return True
    return _large(text)


def _large(text: str) -> bool:
    """Whether a power, a factorial or a binomial in `text` is beyond the limits."""
    at = text.find("^")
    exponents = 1.0
    while at >= 0:
        exponent, _ = argument(text, at + 1)
        size = bound(exponent)
        exponents *= max(size, 1.0) if _numeric_base(text, at) else 1.0
        if size > MAX_EXPONENT or exponents > MAX_EXPONENT**2:
            return True
        at = text.find("^", at + 1)
    if _EXACT.search(text) and math.isinf(bound(text)):
        return True
    largest = max(map(_float, _NUMBER.findall(text)), default=0.0)
    if _FACTORIAL.search(text):
        powers = bound(text) if "^" in text else largest
        return min(powers, _product_near_factorial(text)) > MAX_FACTORIAL or "!!" in text.replace(
            " ", ""
        )
    if r"\binom" in text or re.search(r"[CP]\s*\(\s*\d", text):
        return largest > MAX_FACTORIAL or bound(text) > MAX_FACTORIAL**2
    return False


def _numeric_base(text: str, at: int) -> bool:
    return bool(re.search(r"[\d)}\]]\s*$", text[:at]))


def _product_near_factorial(text: str) -> float:
    """A bound on what a factorial is taken of."""
    worst = 0.0
    for found in re.finditer("!", text):
        before = text[: found.start()].rstrip()
        number = re.search(r"\d+(?:\.\d+)?$", before)
        if number is not None:
            worst = max(worst, _float(number[0]))
        elif before.endswith((")", "}", "]")):
            worst = max(worst, bound(_last_group(before)))
    return worst


def _last_group(text: str) -> str:
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")}]") - (text[at] in "({[")
        if depth == 0:
            return text[at:]
    return text


def bound(text: str, level: int = 0) -> float:
    """A rough upper bound on the size of the numbers that `text` makes; infinity beyond 1e300."""
    if level > 6:
        return math.inf
    size, at = 1.0, 0
    while (found := re.compile(r"(\d+(?:\.\d+)?)|\^|!").search(text, at)) is not None:
        at = found.end()
        if found[1]:
            size = size * max(_float(found[1]), 1.0)
        elif found[0] == "^":
            exponent, at = argument(text, at)
            size = _power(max(size, 2.0), bound(exponent, level + 1))
        else:
            size = _power(max(size, 2.0), size)
    return size


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


def _float(digits: str) -> float:
    return float(digits) if len(digits) < 300 else math.inf
