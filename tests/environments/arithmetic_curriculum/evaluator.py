"""Evaluates expressions with Python's own grammar and exact fractions."""

from __future__ import annotations

import ast
import operator
from fractions import Fraction

OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def independent(text: str) -> Fraction:
    """The exact value of an arithmetic expression."""

    def value(node: ast.expr) -> Fraction:
        if isinstance(node, ast.Constant):
            assert type(node.value) is int
            return Fraction(node.value)
        assert isinstance(node, ast.BinOp)
        left, right = value(node.left), value(node.right)
        if isinstance(node.op, ast.Div):
            return left / right
        result = OPERATIONS[type(node.op)](left, right)
        assert isinstance(result, Fraction)
        return result

    return value(ast.parse(text, mode="eval").body)
