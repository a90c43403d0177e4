"""Whether two values without structure are the same: numbers, quantities, formulas, words.

Decimals. A decimal is the number it shows, no other. Where the other side has no finite decimal
(`1/3`, `\\sqrt2`), its right rounding counts from six decimal places on; so does that of a longer
decimal.

Percent. `p%` is `p/100`. It also matches a bare `p` above 1 (the question had asked for percent).

Units. A unit on one side only is ignored. With one on both sides they must measure the same thing,
and are converted (`1 h` is `60 min`).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy

from curriculum_env.rubrics.math.numbers import Exact, exact
from curriculum_env.rubrics.math.operators import same_operation
from curriculum_env.rubrics.math.quantity import Quantity, quantity
from curriculum_env.rubrics.math.symbolic import equal, expression, same_number
from curriculum_env.rubrics.math.units import Unit
from curriculum_env.rubrics.math.words import folded, minutes, numeral, plain, spoken

PLACES = 6

_RATIO = re.compile(
    r"\s*(-?[\d.]+)\s*(?::|\\text\{\s*to\s*\}|\bto\b)\s*(-?[\d.]+)(?:\s*:\s*([\d.]+))?\s*"
)
_BASED = re.compile(
    r"\(?\s*([0-9A-Z]+)\s*\)?\s*_\{?\s*(?:\\text\{\s*)?(\d+|two|eight|ten|sixteen)\s*\}?\}?"
)
_BASE_TEXT = re.compile(r"([0-9A-Z]+)\s*(?:\\text\{\s*)?(?:\(?base)\s*(\d+)\)?\s*\}?")


def same_value(gold: str, other: str) -> bool:
    """Whether `other` says what `gold` says; both tidy."""
    if squeezed(gold) == squeezed(other):
        return True
    said, heard = spoken(gold), spoken(other)
    if said is not None and said == heard:
        return True
    for rule in (_same_time, _same_ratio, _same_base):
        if (decided := rule(gold, other)) is not None:
            return decided
    return (
        _same_quantity(quantity(numeral(gold)), quantity(numeral(other)))
        or _same_phrase(gold, other)
        or same_operation(gold, other)
    )


@lru_cache(maxsize=8192)
def squeezed(text: str) -> str:
    """`text` without what never matters: spaces and braces around single characters."""
    text = re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"(\\[A-Za-z]+)\s+(?![A-Za-z])", r"\1", text)
    text = re.sub(
        r"(?<![A-Za-z\d])\s+|\s+(?![A-Za-z\d])|(?<=\d)\s+(?!\d)|(?<!\d)\s+(?=\d)", "", text
    )
    return re.sub(r"\{(\w)\}", r"\1", text)


def _same_phrase(gold: str, other: str) -> bool:
    """Names with numbers in them, such as dates."""
    phrase = plain(gold)
    return (
        re.search(r"[A-Za-z]{3}", phrase) is not None
        and re.search(r"[\\^_+*/=<>{}$-]", phrase + plain(other)) is None
        and folded(phrase) == folded(plain(other)) != ""
    )


# --- notations -------------------------------------------------------------------------------
def _same_time(gold: str, other: str) -> bool | None:
    ours, theirs = minutes(gold), minutes(other)
    if ours is None or theirs is None:
        return None
    if ours[1] and theirs[1]:
        return ours[0] == theirs[0]
    return ours[0] % 43200 == theirs[0] % 43200


def _same_ratio(gold: str, other: str) -> bool | None:
    """`3:4` is `3 to 4` and `3/4`, but not `6:8`."""
    ours, theirs = _ratio(gold), _ratio(other)
    if ours is None and theirs is None:
        return None
    return (ours or _slashed(gold)) == (theirs or _slashed(other))


def _ratio(text: str) -> tuple[str, ...] | None:
    found = _RATIO.fullmatch(text)
    return tuple(part for part in found.groups() if part) if found else None


def _slashed(text: str) -> tuple[str, ...] | None:
    found = re.fullmatch(r"\\frac\{(\d+)\}\{(\d+)\}|(\d+)\s*/\s*(\d+)", text.strip())
    return tuple(part for part in found.groups() if part) if found else None


def _same_base(gold: str, other: str) -> bool | None:
    """Numerals with a base: the same digits in the same base."""
    ours, theirs = _based(gold), _based(other)
    return None if ours is None and theirs is None else ours == theirs


def _based(text: str) -> tuple[str, str] | None:
    found = _BASED.fullmatch(text.strip()) or _BASE_TEXT.fullmatch(text.strip())
    if found is None or not found[1][0].isdigit():
        return None
    names = {"two": "2", "eight": "8", "ten": "10", "sixteen": "16"}
    return found[1], names.get(found[2], found[2])


# --- quantities ------------------------------------------------------------------------------
def _same_quantity(gold: Quantity, other: Quantity) -> bool:
    if gold.unit and other.unit and gold.unit.dimensions != other.unit.dimensions:
        return _angles(gold, other)
    ours, theirs = _worths(gold, other.unit), _worths(other, gold.unit)
    if gold.percent == other.percent:
        return any(same_worth(a, b) for a in ours[:1] for b in theirs[:1]) or _angles(gold, other)
    percent, bare = (gold, other) if gold.percent else (other, gold)
    worth, plain_worth = _worth(percent), _worth(bare)
    if worth is None or plain_worth is None:
        return False
    if same_worth(_scaled(worth, Fraction(1, 100)), plain_worth):
        return True
    return _above_one(plain_worth) and same_worth(worth, plain_worth)


def _worths(side: Quantity, other: Unit | None) -> list[Any]:
    worth = _worth(side)
    if worth is None:
        return []
    return [_scaled(worth, side.unit.factor) if side.unit and other else worth]


def _worth(side: Quantity) -> Any:
    """The value of an expression: exact when it is a number, else a SymPy expression."""
    value = exact(side.text) or expression(side.text)
    return _scaled(value, Fraction(side.factor)) if value is not None else None


def _scaled(value: Any, factor: Fraction) -> Any:
    if factor == 1:
        return value
    if isinstance(value, Exact):
        return Exact(value.value * factor)
    return sympy.Mul(value, sympy.Rational(factor.numerator, factor.denominator))


def _angles(gold: Quantity, other: Quantity) -> bool:
    """Degrees against radians, named or not."""
    for degrees, radians in ((gold, other), (other, gold)):
        if degrees.unit and degrees.unit.angle and not degrees.percent:
            if radians.unit and radians.unit.dimensions != {("radian", 1)}:
                continue
            one, two = _symbolic(_worth(degrees)), _symbolic(_worth(radians))
            if one is not None and two is not None and not one.free_symbols | two.free_symbols:
                return same_number(one * sympy.pi / 180, two)
    return False


def _above_one(value: Any) -> bool:
    if isinstance(value, Exact):
        return abs(value.value) > 1
    return not value.free_symbols and bool(abs(value.evalf(15)) > 1)


# --- numbers ---------------------------------------------------------------------------------
def same_worth(gold: Any, other: Any) -> bool:
    """Two numbers or formulas, with the rule for decimals."""
    if isinstance(gold, Exact) and isinstance(other, Exact):
        return gold.value == other.value or _rounded(gold, other) or _rounded(other, gold)
    for short, long in ((gold, other), (other, gold)):
        if isinstance(short, Exact) and short.places is not None:
            number = _number(long)
            if number is not None and _is_rounding(short, number):
                return True
    one, two = _symbolic(gold), _symbolic(other)
    return one is not None and two is not None and equal(one, two)


def _symbolic(value: Any) -> Any:
    if isinstance(value, Exact):
        return sympy.Rational(value.value.numerator, value.value.denominator)
    return value


def _number(value: Any) -> Fraction | None:
    """A real constant that is no rational number, to 40 digits."""
    if value is None or value.free_symbols or value.has(sympy.I) or not value.is_number:
        return None
    near = value.evalf(40)
    if not near.is_Float or (rational := sympy.nsimplify(near, rational=True)) is None:
        return None
    return Fraction(int(rational.p), int(rational.q))


def _rounded(short: Exact, long: Exact) -> bool:
    """Whether the decimal `short` rounds a repeating fraction, or a longer decimal."""
    if short.places is None:
        return False
    if long.places is not None:
        return short.places < long.places and _is_rounding(short, long.value)
    return not _finite(long.value) and _is_rounding(short, long.value)


def _finite(value: Fraction) -> bool:
    """Whether a fraction has a finite decimal expansion."""
    below = value.denominator
    for prime in (2, 5):
        while below % prime == 0:
            below //= prime
    return below == 1


def _is_rounding(short: Exact, value: Fraction) -> bool:
    assert short.places is not None
    return short.places >= PLACES and abs(short.value - value) * 10**short.places <= Fraction(1, 2)
