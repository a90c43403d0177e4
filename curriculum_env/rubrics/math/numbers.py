r"""Numbers as they are written: exactly what they are worth, and to how many places.

Separators of thousands: `,` `{,}` `\,` `'` `_` and a space, in groups of three throughout. A comma
that cannot be one is a decimal comma (`0,5`; `1.234,56`); `3,5` may be a list, so who reads it as
a number must ask for that (`decimal_comma`). Repeating decimals: `0.\overline{3}`, `0.\dot{3}`,
`0.(3)`, `0.333...`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_DIGITS = 1_000
MAX_EXPONENT = 5_000

_GROUPED = re.compile(
    r"(?<![\d.,\w])([1-9]\d{0,2}(?:(?P<sep>\{,\}|'| )\d{3})(?:(?P=sep)\d{3})*)(?![\d']|,\d)"
)
_COMMAS = re.compile(r"(?<![\d.,\w])[1-9]\d{0,2}(?:,\d{3})+(?![\d]|,\d)")
_CONTINENTAL = re.compile(
    r"(?<![\d.,\w])(?:[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,})(?![\d.,])"
)
_NOUGHT_COMMA = re.compile(r"(?<![\d.,\w(\[\]])(?<!\\\{)0,(?=\d+(?![\d.,]))")
_SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?|\.\d+)[eE]([-+]?\d{1,4})(?![\w.])")
_BARE_POINT = re.compile(r"(?<![\d\w}])\.(?=\d)")
_REPEATING = re.compile(
    r"(\d*)\.(\d*)(?:\\(?:overline|bar|dot)\s*\{(\d+)\}|\\(?:overline|bar|dot)\s*(\d)|\((\d+)\))"
)
_TRAILING = re.compile(r"(\d*)\.(\d*?)(\d{1,6}?)\3{2,}\s*\\ldots")
_SPLIT_GROUP = re.compile(r"\d[\s{}']*,[\s{}']*\d")

_SIGN = r"(?P<sign>(?:[-+]\s*)*)"
_DECIMAL = r"(?P<decimal>\d+(?:\.\d*)?)"
_MIXED = r"(?P<whole>\d+)\s*(?:\\frac\{(?P<ma>\d+)\}\{(?P<mb>\d+)\}|\s(?P<mc>\d+)/(?P<md>\d+))"
_FRACTION = (
    r"\\frac\{\s*(?P<na>-?\s*\d+(?:\.\d+)?)\s*\}\{\s*(?P<nb>-?\s*\d+(?:\.\d+)?)\s*\}"
    r"|(?P<sa>\d+(?:\.\d+)?)\s*/\s*(?P<sb>\d+(?:\.\d+)?)"
)
_POWER = r"(?:\s*(?:\\times|\\cdot|\*)\s*10\s*\^\s*(?:\{\s*(?P<e>[-+]?\d+)\s*\}|(?P<f>\d)))?"
_NUMBER = re.compile(rf"{_SIGN}(?:{_MIXED}|{_FRACTION}|{_DECIMAL}{_POWER})")


@dataclass(frozen=True, slots=True)
class Exact:
    """A number's value, and its decimal places where it was written with a decimal point."""

    value: Fraction
    places: int | None = None


def plain_numbers(text: str, *, commas: bool) -> str:
    """`text` with numbers written as LaTeX would: a point for decimals, nothing for thousands.

    With `commas`, `1,234` is one number; else a list of two.
    """
    text = _CONTINENTAL.sub(lambda m: m[0].replace(".", "").replace(",", "."), text)
    text = _GROUPED.sub(lambda m: m[1].replace(m["sep"], ""), text)
    if commas:
        text = _COMMAS.sub(lambda m: m[0].replace(",", ""), text)
        text = _NOUGHT_COMMA.sub("0.", text)
    text = _BARE_POINT.sub("0.", text)
    text = _SCIENTIFIC.sub(lambda m: f"{m[1]}\\times 10^{{{int(m[2])}}}", text)
    text = _REPEATING.sub(_repeating, text)
    return _TRAILING.sub(_repeating, text)


def decimal_comma(text: str) -> str | None:
    """`3,5` as `3.5`; None where there is no single such number."""
    return (
        re.sub(r"\s*(?:\{,\}|,)", ".", text)
        if re.fullmatch(r"\s*[-+]?\d+(?:\{,\}|,)\d+\s*\D*", text)
        else None
    )


def exact(text: str) -> Exact | None:
    """The number that `text`, a tidy one, is; None when it is anything else."""
    text = text.strip()
    if len(text) > MAX_DIGITS * 2 or (found := _NUMBER.fullmatch(text)) is None:
        return None
    groups = found.groupdict()
    try:
        size, places = _magnitude(groups)
    except ZeroDivisionError:
        return None
    if size is None:
        return None
    return Exact(-size if groups["sign"].count("-") % 2 else size, places)


def _magnitude(groups: dict[str, str | None]) -> tuple[Fraction | None, int | None]:
    if (whole := groups["whole"]) is not None:
        above, below = groups["ma"] or groups["mc"] or "", groups["mb"] or groups["md"] or ""
        part = Fraction(int(above), int(below))
        return (int(whole) + part if part < 1 else None), None
    for first, second in (("na", "nb"), ("sa", "sb")):
        above_, below_ = groups[first], groups[second]
        if above_ is not None and below_ is not None:
            return _fraction(above_) / _fraction(below_), None
    decimal, exponent = groups["decimal"] or "", int(groups["e"] or groups["f"] or 0)
    if abs(exponent) > MAX_EXPONENT or len(decimal) > MAX_DIGITS:
        return None, None
    places = len(decimal.partition(".")[2]) - exponent if "." in decimal else None
    return _fraction(decimal) * Fraction(10) ** exponent, places


def _fraction(text: str) -> Fraction:
    return Fraction(text.replace(" ", "").removesuffix("."))


def _repeating(found: re.Match[str]) -> str:
    """A repeating decimal as a fraction."""
    whole, start, period = found[1] or "0", found[2], next(g for g in found.groups()[2:] if g)
    if len(whole) + len(start) + len(period) > 60:
        return found[0]
    scale, nines = 10 ** len(start), 10 ** len(period) - 1
    value = Fraction(int(whole + start), scale) + Fraction(int(period), scale * nines)
    return f"\\frac{{{value.numerator}}}{{{value.denominator}}}"
