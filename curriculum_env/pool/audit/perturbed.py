"""Answers close to the right one, and wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from curriculum_env.pool.answers import answer_key
from curriculum_env.pool.audit.values import OPPOSITES, bare, choice_of, decimal, number_of

_DIGITS = re.compile(r"\d+")


def perturbed(golds: list[str]) -> dict[str, str]:
    """Wrong answers near the first of `golds`, by what was done to it; none is any of them."""
    right = {answer_key(bare(gold)) for gold in golds}
    values = {number_of(gold) for gold in golds} - {None}
    found = dict(_changed(bare(golds[0])))
    return {
        kind: text
        for kind, text in found.items()
        if answer_key(text) not in right and number_of(text) not in values
    }


def differs(answer: str, golds: list[str]) -> bool:
    """Whether `answer` is surely none of `golds`: other numbers, other letters, other words."""
    if answer_key(bare(answer)) in {answer_key(bare(gold)) for gold in golds}:
        return False
    if all(bare(text).isalpha() for text in (answer, *golds)):
        return True
    kinds = [(number_of(text), choice_of(text)) for text in (answer, *golds)]
    plain = all(number is not None or choice for number, choice in kinds)
    return plain and kinds[0] not in kinds[1:]


def _changed(gold: str) -> Iterator[tuple[str, str]]:
    value, choice = number_of(gold), choice_of(gold)
    if choice is not None:
        yield "the next letter", chr((ord(choice) - ord("A") + 1) % 4 + ord("A"))
    elif gold.lower() in OPPOSITES:
        yield "the opposite", OPPOSITES[gold.lower()]
    elif value is not None:
        yield from _number(value)
    else:
        yield from _formula(gold)


def _number(value: Fraction) -> Iterator[tuple[str, str]]:
    yield "one more", _written(value + 1)
    yield "one less", _written(value - 1)
    yield "other sign", _written(-value)
    yield "ten times", _written(value * 10)
    if value.denominator != 1:
        yield "upside down", _written(1 / value)
        yield "numerator alone", str(value.numerator)
        yield "other denominator", _written(Fraction(value.numerator, value.denominator + 1))
    elif abs(value) >= 10:
        digits = str(abs(value.numerator))
        yield "digits reversed", digits[::-1].lstrip("0") or "0"
        yield "last digit dropped", digits[:-1]


def _formula(gold: str) -> Iterator[tuple[str, str]]:
    numbers = list(_DIGITS.finditer(gold))
    for name, found in (("last number", numbers[-1:]), ("first number", numbers[:1])):
        for digits in found:
            more = str(int(digits[0]) + 1)
            yield f"{name} one more", gold[: digits.start()] + more + gold[digits.end() :]
    if not numbers and ("\\" in gold or not gold.replace(" ", "").isalpha()):
        yield "plus one", f"{gold} + 1"
    elif not numbers:
        yield "negated", f"not {gold}"


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return decimal(value) or f"{value.numerator}/{value.denominator}"
