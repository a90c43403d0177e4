"""Arithmetic expressions as small trees: build, write, evaluate, compare.

An expression is a non-negative integer or `(operator, left, right)`; a shape is the same tree
with operand positions (0, 1, ... from left to right) in place of the integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

Expression: TypeAlias = "int | tuple[str, Expression, Expression]"

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}


def shapes(operands: int, operators: str, first: int = 0) -> Iterator[Expression]:
    """Every binary tree over `operands` positions numbered from `first`, with every choice of
    operators."""
    if operands == 1:
        yield first
        return
    for split in range(1, operands):
        lefts = list(shapes(split, operators, first))
        rights = list(shapes(operands - split, operators, first + split))
        yield from product(operators, lefts, rights)


def fill(shape: Expression, operands: Sequence[int]) -> Expression:
    """The shape with its positions replaced by `operands`."""
    if isinstance(shape, int):
        return operands[shape]
    operator, left, right = shape
    return (operator, fill(left, operands), fill(right, operands))


def write(expression: Expression) -> str:
    """The expression as text, with the parentheses its tree needs: reading it with the usual
    precedence, from left to right, gives the same tree back."""
    if isinstance(expression, int):
        return str(expression)
    operator, left, right = expression
    rank = PRECEDENCE[operator]
    return f"{_inside(left, rank)} {operator} {_inside(right, rank + 1)}"


def _inside(expression: Expression, rank: int) -> str:
    text = write(expression)
    bare = isinstance(expression, int) or PRECEDENCE[expression[0]] >= rank
    return text if bare else f"({text})"


def evaluate(expression: Expression) -> int:
    """The value; a division must come out even.

    Raises:
        ZeroDivisionError: a divisor is 0.
    """
    if isinstance(expression, int):
        return expression
    operator, a, b = expression[0], evaluate(expression[1]), evaluate(expression[2])
    if operator == "+":
        return a + b
    if operator == "-":
        return a - b
    if operator == "*":
        return a * b
    quotient, remainder = divmod(a, b)
    assert remainder == 0
    return quotient


def canonical(expression: Expression) -> str:
    """One text for all the expressions that differ only in the order of a sum or a product."""
    if isinstance(expression, int):
        return str(expression)
    operator, left, right = expression[0], canonical(expression[1]), canonical(expression[2])
    if operator in "+*":
        left, right = sorted((left, right))
    return f"({left}{operator}{right})"


def depth(expression: Expression) -> int:
    """How many operators stand on the longest path from the root to an operand."""
    if isinstance(expression, int):
        return 0
    return 1 + max(depth(expression[1]), depth(expression[2]))
