"""Expressions as SymPy objects, read by math-verify's parser, and whether two are equal.

Equality is decided numerically: to 60 significant digits beyond those that the sizes of all parts
take, and relative to the values, so that `2^{-99}` is not `2^{-98}` and `2^{1007}` not
`2^{1007}-1`. Expressions in variables are compared at points of the real domain of the gold one,
positive and negative, whole and not. For analytic expressions, agreement at random points is
identity with probability one (Schwartz 1980 for polynomials).
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import Any

import sympy
from latex2sympy2_extended.latex2sympy2 import ConversionConfig, latex2sympy

from curriculum_env.rubrics.math.limits import too_costly

Expression = Any

MAX_LENGTH = 400  # characters of one expression; the parser takes a second for a thousand
DIGITS = 60  # beyond the size of the largest and the smallest part
MAX_DIGITS = 20_000
_SLACK = 12  # digits that rounding may cost

_CONFIG = ConversionConfig(lowercase_symbols=False)
_UNREADABLE = re.compile(
    r"\\(?:ldots|text|pm|mp|approx|cup|cap|in|to|Rightarrow|equiv|parallel|lor|land|begin|sum|prod|int|"
    r"lim|triangle|perp|setminus)(?![A-Za-z])|[=<>;?:&\"#@$%]|[A-Za-z]{2,}!|\d \d|\d'|[^\x00-\x7f]"
)
_PRODUCTS = (
    (re.compile(r"(?<=[\d)}])\s*(?=\()"), r"\\cdot "),
    (
        re.compile(r"(?<=\))\s*(?=[\dA-Za-z\\])(?!\\(?:cdot|times|right|rfloor|rceil|le|ge)\b)"),
        r"\\cdot ",
    ),
    (re.compile(r"(?<=\d)\s+(?=\\frac)"), ""),
)
_DEGREES = re.compile(r"(\d+(?:\.\d+)?)\s*\^\\circ")
_AFTER_FUNCTION = re.compile(
    r"(\\(?:arc)?(?:sin|cos|tan|cot|sec|csc|ln|log|exp|sinh|cosh|tanh|max|min|gcd|lcm|det)"
    r"\s*(?:_(?:\{[^{}]*\}|\w))?\s*(?:\^(?:\{[^{}]*\}|\d))?\s*)\\cdot \("
)


@lru_cache(maxsize=8192)
def expression(text: str) -> Expression | None:
    """`text`, a tidy one, as a SymPy expression; None when it is none."""
    if not 0 < len(text) <= MAX_LENGTH or _UNREADABLE.search(text) or too_costly(text):
        return None
    try:
        read = latex2sympy(
            _spelled_out(text), is_real=True, convert_degrees=False,
            normalization_config=None, conversion_config=_CONFIG,
        )  # fmt: skip
        return _settled(read) if isinstance(read, sympy.Expr) else None
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception:
        return None


def _spelled_out(text: str) -> str:
    """Products by juxtaposition with their sign, as the parser takes `3(4)` for a mixed number."""
    text = text.replace("'", "_{p}").replace("*", r"\cdot ")
    text = _DEGREES.sub(r"(\1\\cdot \\frac{\\pi}{180})", text)
    for pattern, replacement in _PRODUCTS:
        text = pattern.sub(replacement, text)
    return _AFTER_FUNCTION.sub(r"\1(", text)


def _settled(read: Expression) -> Expression:
    """Decimals exact, `i` imaginary, odd roots of negative numbers real."""
    changes: dict[Expression, Expression] = {
        number: sympy.Rational(str(number)) for number in read.atoms(sympy.Float)
    }
    changes |= {s: sympy.I for s in read.free_symbols if s.name == "i"}
    changes |= {s: sympy.Symbol(s.name, real=True) for s in read.free_symbols if s.name != "i"}
    for root in read.atoms(sympy.Pow):
        base, power = root.as_base_exp()
        if (
            power.is_Rational
            and power.q % 2
            and power.q > 1
            and base.is_number
            and base.is_negative
        ):
            sign = -1 if power.p % 2 else 1
            changes[root] = sign * sympy.Pow(-base, power, evaluate=False)
    return read.xreplace(changes) if changes else read


# --- equality --------------------------------------------------------------------------------
def equal(gold: Expression, other: Expression) -> bool:
    """Whether the two are the same number or the same function of the same variables."""
    if gold == other:
        return True
    if gold.free_symbols != other.free_symbols:
        return False
    return _same_function(gold, other) if gold.free_symbols else same_number(gold, other)


def same_number(gold: Expression, other: Expression) -> bool:
    """Two constants, compared to 60 digits beyond the point where their parts could cancel."""
    if gold in _INFINITE or other in _INFINITE:
        return bool(gold == other)
    digits = _digits(gold, other)
    return digits is not None and _close(_value(gold, digits), _value(other, digits), digits)


_INFINITE = (sympy.oo, -sympy.oo, sympy.zoo)


def _digits(*parts: Expression) -> int | None:
    """Significant digits that tell large constants apart; None where too many are needed."""
    size = 0
    for part in parts:
        for node in sympy.preorder_traversal(part):
            if node.is_number and (node.is_Pow or node.is_Integer or node.is_Function):
                near = _value(node, 5)
                size = max([size, *map(_bits, near or ())])
    digits = DIGITS + round(size * 0.302)
    return digits if digits <= MAX_DIGITS else None


def _bits(number: Expression) -> int:
    """The size of the binary exponent of a number."""
    _, mantissa, exponent, length = sympy.Float(number)._mpf_
    return abs(exponent + length) if mantissa else 0


def _value(number: Expression, digits: int, at: dict[Expression, Expression] | None = None) -> Any:
    """The real and the imaginary part of `number`; None where it has no value."""
    try:
        value = number.evalf(digits, subs=at, maxn=2 * digits + 200)
        real, imaginary = value.as_real_imag()
    except (ArithmeticError, ValueError):  # at a pole
        return None
    if not (real.is_Number and imaginary.is_Number and real.is_finite and imaginary.is_finite):
        return None
    return real, imaginary


def _close(one: Any, two: Any, digits: int) -> bool:
    """Equal relative to the larger of the two."""
    if one is None or two is None:
        return False
    size = max(abs(one[0]), abs(one[1]), abs(two[0]), abs(two[1]))
    tolerance = sympy.Float(10, digits) ** (_SLACK - digits) * size
    return all(abs(a - b) <= tolerance for a, b in zip(one, two, strict=True))


def _same_function(gold: Expression, other: Expression) -> bool:
    symbols = sorted(gold.free_symbols, key=str)
    complex_valued = gold.has(sympy.I) or other.has(sympy.I)
    digits = _digits(gold, other)
    if digits is None:
        return False
    compared = 0
    for points in (_FRACTIONS, _WHOLE):
        for row in points:
            at = dict(zip(symbols, _cycle(row), strict=False))
            ours, theirs = _value(gold, digits, at), _value(other, digits, at)
            if ours is None or (_imaginary(ours) and not complex_valued):
                continue
            if not _close(ours, theirs, digits):
                return False
            compared += 1
        if compared >= 4:
            return True
    return compared >= 2


def approximately(one: str, two: str) -> bool:
    """Whether two constants are within 1% of each other."""
    values = [found.evalf(15) for text in (one, two) if (found := expression(text)) is not None]
    if len(values) != 2 or not all(value.is_Float or value.is_Rational for value in values):
        return False
    return bool(abs(values[0] - values[1]) <= abs(values[0]) / 100)


def _imaginary(value: Any) -> bool:
    return bool(abs(value[1]) > abs(value[0]) * sympy.Float(10) ** -40)


def _cycle(row: tuple[Expression, ...]) -> Any:
    """Endless values, no two alike."""
    return (value + 7 * turn for turn in count() for value in row)


def _rationals(*pairs: tuple[int, int]) -> tuple[Expression, ...]:
    return tuple(sympy.Rational(a, b) for a, b in pairs)


_FRACTIONS = (
    _rationals((137, 59), (71, 83), (311, 97), (53, 61)),
    _rationals((29, 101), (223, 67), (43, 113), (167, 73)),
    _rationals((433, 89), (19, 103), (149, 107), (37, 41)),
    _rationals((-139, 79), (83, 47), (-23, 29), (-191, 109)),
    _rationals((-31, 71), (-127, 53), (181, 61), (-11, 67)),
    _rationals((13, 59), (-97, 43), (-251, 83), (17, 31)),
)
_WHOLE = (
    _rationals((7, 1), (3, 1), (2, 1), (5, 1)),
    _rationals((8, 1), (4, 1), (3, 1), (6, 1)),
    _rationals((11, 1), (5, 1), (4, 1), (2, 1)),
    _rationals((4, 1), (2, 1), (1, 1), (9, 1)),
)
