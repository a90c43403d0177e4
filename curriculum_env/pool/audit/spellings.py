"""The same answer, written in many ways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from curriculum_env.pool.audit.values import bare, choice_of, decimal, number_of

_SIGNS = (("\\pi", "π"), ("\\infty", "∞"), ("\\cdot", "·"), ("\\times", "×"), ("\\pm", "±"))
_ROOT = re.compile(r"\\sqrt\{(\d+|[a-z])\}")
_PAIR = re.compile(r"[(\[][^()\[\]]*,[^()\[\]]*[)\]]")


def spellings(gold: str) -> dict[str, str]:
    """Other ways to write `gold`, by what is special about each; those that leave it as it is are
    left out."""
    found = {"as it is": gold.strip(), **dict(_written(bare(gold)))}
    kept: dict[str, str] = {}
    for kind, text in found.items():
        if text not in kept.values():
            kept[kind] = text
    return kept


def _written(gold: str) -> Iterator[tuple[str, str]]:
    yield "between dollar signs", f"${gold}$"
    value, choice = number_of(gold), choice_of(gold)
    if choice is not None:
        yield from _choice(choice)
    elif value is None:
        yield from _formula(gold)
    elif value.denominator == 1:
        yield from _integer(value.numerator)
    else:
        yield from _fraction(value)


def _choice(letter: str) -> Iterator[tuple[str, str]]:
    yield "letter in parentheses", f"({letter})"
    yield "letter as LaTeX text", f"\\text{{{letter}}}"


def _integer(value: int) -> Iterator[tuple[str, str]]:
    yield "with a decimal zero", f"{value}.0"
    if abs(value) >= 1000:
        grouped = f"{value:,}"
        yield "thousands with commas", grouped
        yield "thousands with LaTeX commas", grouped.replace(",", "{,}")
        yield "thousands with thin spaces", grouped.replace(",", "\\,")
    if value < 0:
        yield "Unicode minus", f"−{-value}"
    if value and value % 1000 == 0:
        digits = str(abs(value)).rstrip("0")
        power = len(str(abs(value))) - 1
        mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
        sign = "-" if value < 0 else ""
        yield "power of ten", f"{sign}{mantissa} \\times 10^{{{power}}}"


def _fraction(value: Fraction) -> Iterator[tuple[str, str]]:
    sign, over, under = "-" if value < 0 else "", abs(value.numerator), value.denominator
    yield "fraction with a slash", f"{sign}{over}/{under}"
    yield "LaTeX fraction", f"{sign}\\frac{{{over}}}{{{under}}}"
    yield "display fraction", f"{sign}\\dfrac{{{over}}}{{{under}}}"
    if (text := decimal(value)) is not None:
        yield "decimal", text
        yield "decimal with a further zero", f"{text}0"
    if value < 0:
        yield "Unicode minus", f"−{over}/{under}"


def _formula(gold: str) -> Iterator[tuple[str, str]]:
    if "\\" not in gold and " " not in gold and gold.isalpha():
        yield "as LaTeX text", f"\\text{{{gold}}}"
    if "\\frac" in gold:
        yield "display fraction", gold.replace("\\frac", "\\dfrac")
    if _ROOT.search(gold):
        yield "Unicode root", _ROOT.sub(r"√\1", gold)
    for latex, sign in _SIGNS:
        if re.search(re.escape(latex) + r"(?![A-Za-z])", gold):
            yield f"Unicode {sign}", re.sub(re.escape(latex) + r"(?![A-Za-z])", sign, gold)
    if _PAIR.fullmatch(gold):
        yield "sized brackets", f"\\left{gold[:-1]}\\right{gold[-1]}"
        yield "no space after commas", re.sub(r",\s+", ",", gold)
        yield "space after commas", re.sub(r",\s*", ", ", gold)
