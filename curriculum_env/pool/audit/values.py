"""What kind of answer a gold is: a number, a choice, or anything else."""

from __future__ import annotations

import re
from fractions import Fraction

_NUMBER = re.compile(r"[-+−]?(?:\d+(?:\.\d+)?|\.\d+)")
_GROUPED = re.compile(r"(?<=\d)(?:,|\{,\}|\\,)(?=\d{3}(?!\d))")
_RATIO = re.compile(r"([-−]?)\s*(?:\\[dt]?frac\s*\{(\d+)\}\s*\{(\d+)\}|(\d+)\s*/\s*(\d+))")
_CHOICE = re.compile(r"\(?([A-Ja-j])\)?\.?")
MAX_DIGITS = 30

OPPOSITES = {"yes": "no", "no": "yes", "true": "false", "false": "true"}


def bare(gold: str) -> str:
    """The gold without dollar signs around it."""
    return gold.strip().strip("$").strip()


def number_of(gold: str) -> Fraction | None:
    """The value of a gold that is one number: an integer, a decimal or a fraction."""
    text = _GROUPED.sub("", bare(gold))
    if len(text) > MAX_DIGITS:
        return None
    if _NUMBER.fullmatch(text):
        return Fraction(text.replace("−", "-"))
    ratio = _RATIO.fullmatch(text)
    if ratio is None:
        return None
    over, under = int(ratio[2] or ratio[4]), int(ratio[3] or ratio[5])
    if under == 0:
        return None
    return Fraction(-over if ratio[1] else over, under)


def choice_of(gold: str) -> str | None:
    """The letter of a gold that is one of several options, in upper case."""
    found = _CHOICE.fullmatch(bare(gold))
    return found[1].upper() if found else None


def decimal(value: Fraction) -> str | None:
    """The value as a decimal that ends, of at most six places; None where there is none."""
    scaled = value * 10**6
    if scaled.denominator != 1:
        return None
    text = f"{abs(scaled.numerator) // 10**6}.{abs(scaled.numerator) % 10**6:06d}".rstrip("0")
    return ("-" if value < 0 else "") + text.rstrip(".")
