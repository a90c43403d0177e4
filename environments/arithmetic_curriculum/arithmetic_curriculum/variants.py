"""Variants of a problem: read from a text, or made here by changing the numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from arithmetic_curriculum.expression import Expression
from arithmetic_curriculum.placing import UnsolvableError, ladder_row, operands, sum_row, value
from arithmetic_curriculum.reading import parse, read
from curriculum_env import Annotation, Discard, Row

Place: TypeAlias = Callable[[Expression], "Row | None"]

FACTORS = {"numbers": 1.0, "harder": 1.25, "easier": 0.8}
"""The kinds made here and their relative difficulty: operands of the same lengths, one of them a
digit longer, one a digit shorter."""
TRIES = 32


def solve(text: str, place: Place) -> Annotation | Discard:
    """The answer of the expression in `text`, if it has a place among the problems."""
    expression = read(text)
    if expression is None:
        return Discard("no_answer", "no arithmetic, or more than that")
    try:
        answer = value(expression)
    except UnsolvableError:
        return Discard("unsolvable")
    if place(expression) is None:
        return Discard("no_task", "held out, or beyond the ladder")
    return Annotation(str(answer), model="arithmetic")


def child_of(text: str, answer: str, place: Place) -> Row | None:
    """The row of the problem in `text`; None where `answer` is not its answer, or none."""
    expression = read(text)
    try:
        right = expression is not None and str(value(expression)) == answer
    except UnsolvableError:
        return None
    return place(expression) if right and expression is not None else None


def vary(parent: Row, kind: str, number: int, place: Place) -> Row | None:
    """Variant `number` (0, 1, ...) of the parent's problem: the same for the same number, other
    numbers in the same expression. None where there is none, or for a kind not made here."""
    expression = parse(parent.data["expression"])
    if expression is None or kind not in FACTORS:
        return None
    rng = random.Random(f"variant {kind} {parent.uid} {number}")
    for _ in range(TRIES):
        row = _placed(_changed(expression, kind, rng), place)
        if row is not None and row.uid != parent.uid:
            return replace(row, parent=parent.uid, factor=FACTORS[kind])
    return None


def vary_ladder(parent: Row, kind: str, number: int) -> Row | None:
    """`vary` of a problem of the ladder."""
    return vary(parent, kind, number, ladder_row)


def vary_sum(parent: Row, kind: str, number: int, longest: int = 9) -> Row | None:
    """`vary` of a sum of two numbers of at most `longest` digits, of `sums.sum_rows`."""
    return vary(parent, kind, number, lambda expression: sum_row(expression, longest))


def _placed(expression: Expression | None, place: Place) -> Row | None:
    if expression is None:
        return None
    try:
        value(expression)
        return place(expression)
    except UnsolvableError:
        return None


def _changed(expression: Expression, kind: str, rng: random.Random) -> Expression | None:
    """The expression with other numbers; a division of two gets another quotient and divisor. None
    where no operand can be shorter."""
    numbers = list(operands(expression))
    division = len(numbers) == 2 and not isinstance(expression, int) and expression[0] == "/"
    if division:
        numbers[0] //= numbers[1]
    lengths = [len(str(number)) for number in numbers]
    if kind != "numbers":
        changeable = [i for i, n in enumerate(lengths) if n > 1 or kind == "harder"]
        if not changeable:
            return None
        lengths[rng.choice(changeable)] += 1 if kind == "harder" else -1
    drawn = [_number(length, rng) for length in lengths]
    if division:
        drawn[1] = max(drawn[1], 2)
        drawn[0] *= drawn[1]
    return _filled(expression, drawn)


def _number(length: int, rng: random.Random) -> int:
    return rng.randrange(10 ** (length - 1) if length > 1 else 0, 10**length)


def _filled(expression: Expression, drawn: list[int]) -> Expression:
    """The expression with its operands replaced, from left to right; uses `drawn` up."""
    if isinstance(expression, int):
        return drawn.pop(0)
    operator, left, right = expression
    return (operator, _filled(left, drawn), _filled(right, drawn))
