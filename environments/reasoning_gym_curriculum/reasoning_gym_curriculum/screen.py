"""Which answers may be shown to a scorer that evaluates them.

Some of reasoning-gym's scorers hand the answer to Python's `eval`, or to sympy's parser, which
evaluates too. They get a list written out, or a formula of numbers, variables and well-known
functions, and nothing else.
"""

from __future__ import annotations

import ast

EVALUATED_AS_LIST = frozenset({"binary_matrix", "n_queens", "spiral_matrix", "string_insertion"})
EVALUATED_AS_FORMULA = frozenset(
    {
        "countdown",
        "intermediate_integration",
        "polynomial_multiplication",
        "puzzle24",
        "simple_integration",
    }
)
MAX_LENGTH = 100_000
MAX_POWER = 1_000
MAX_DIGITS = 40

FUNCTIONS = frozenset(
    {"sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan", "acot"}
    | {"sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "ln", "sqrt", "Abs", "erf"}
)
CONSTANTS = frozenset({"pi", "E", "I"})
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.UAdd, ast.USub)


def may_be_scored(family: str, answer: str) -> bool:
    """Whether the family's scorer can take `answer` without running what it says."""
    if len(answer) > MAX_LENGTH:
        return False
    if family in EVALUATED_AS_LIST:
        return _is_literal(answer) or not _is_python(answer)
    if family in EVALUATED_AS_FORMULA:
        return is_formula(answer)
    return True


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_python(text: str) -> bool:
    """Whether `eval` could make anything of it."""
    return _parsed(text) is not None


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text.strip())
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return False
    return True


def is_formula(text: str) -> bool:
    """Whether `text` is made of numbers, variables, + - * / **, and functions such as sin."""
    parsed = _parsed(text)
    return parsed is not None and _formula(parsed)


def _formula(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float() as number):
            return len(str(number)) <= MAX_DIGITS
        case ast.Name(id=name):
            return name in CONSTANTS or len(name) == 1
        case ast.UnaryOp(op=op, operand=operand):
            return isinstance(op, OPERATORS) and _formula(operand)
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            return _formula(left) and _exponent(right)
        case ast.BinOp(op=op, left=left, right=right):
            return isinstance(op, OPERATORS) and _formula(left) and _formula(right)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]):
            return name in FUNCTIONS and _formula(argument)
        case _:
            return False


def _exponent(node: ast.expr) -> bool:
    """A small one: a tower of powers would be calculated for ever."""
    inside = list(ast.walk(node))
    numbers = [part.value for part in inside if isinstance(part, ast.Constant)]
    small = all(isinstance(n, int | float) and abs(n) <= MAX_POWER for n in numbers)
    return small and not any(isinstance(part, ast.Pow) for part in inside) and _formula(node)
