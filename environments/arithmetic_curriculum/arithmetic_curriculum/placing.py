"""Where on the ladder an expression belongs that was not made for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arithmetic_curriculum import sums
from arithmetic_curriculum.dataset import held_out, row_of
from arithmetic_curriculum.expression import Expression, evaluate, write
from arithmetic_curriculum.levels import FAMILIES, Family
from curriculum_env import Row

OPERATIONS = {"+": "addition", "-": "subtraction", "*": "multiplication", "/": "division"}


class UnsolvableError(ValueError):
    """A division by zero, or one that does not come out even."""


def value(expression: Expression) -> int:
    """The value.

    Raises:
        UnsolvableError: it has none among the integers.
    """
    if isinstance(expression, int):
        return expression
    operator, a, b = expression[0], value(expression[1]), value(expression[2])
    if operator == "/" and (b == 0 or a % b):
        raise UnsolvableError(write(expression))
    return evaluate((operator, a, b))


def operands(expression: Expression) -> Iterator[int]:
    """The operands from left to right."""
    if isinstance(expression, int):
        yield expression
        return
    yield from operands(expression[1])
    yield from operands(expression[2])


def ladder_row(expression: Expression) -> Row | None:
    """The row of a solvable problem: its family's, or that of the lowest family whose problems are
    at least as long. None where the ladder ends before it, and where it is held out."""
    lengths = _lengths(expression)
    family = next((one for one in FAMILIES if _fits(expression, lengths, one)), None)
    if family is None or held_out(expression):
        return None
    row = row_of(family, expression)
    return replace(row, features={**row.features, "digits": sum(lengths)})


def sum_row(expression: Expression, longest: int) -> Row | None:
    """The row of a sum of two numbers of at most `longest` digits; None for anything else, and
    where it is held out."""
    if isinstance(expression, int) or expression[0] != "+" or held_out(expression):
        return None
    lengths = _lengths(expression)
    if len(lengths) != 2 or max(lengths) > longest:
        return None
    return sums.row_of((lengths[0], lengths[1]), expression)


def _lengths(expression: Expression) -> tuple[int, ...]:
    """The digits of each operand; of a division, those of its quotient and its divisor."""
    numbers = list(operands(expression))
    if len(numbers) == 2 and not isinstance(expression, int) and expression[0] == "/":
        numbers[0] = value(expression)
    return tuple(len(str(number)) for number in numbers)


def _operation(expression: Expression) -> str:
    assert not isinstance(expression, int)
    if len(list(operands(expression))) == 2:
        return OPERATIONS[expression[0]]
    text = write(expression)
    return "other" if "/" in text else "nested" if "(" in text else "mixed"


def _fits(expression: Expression, lengths: tuple[int, ...], family: Family) -> bool:
    """Whether the family's problems are of this kind and none of their operands is shorter."""
    if family.operation != _operation(expression) or len(family.digits) != len(lengths):
        return False
    turned = family.digits[::-1] if family.operation in ("addition", "multiplication") else ()
    return any(
        all(length <= most for length, most in zip(lengths, digits, strict=True))
        for digits in filter(None, (family.digits, turned))
    )
