"""Reads an expression in a text that says nothing else."""

from __future__ import annotations

import re

from arithmetic_curriculum.expression import PRECEDENCE, Expression

MOST_OPERANDS = 8
MOST_DIGITS = 9

_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "x": "*", "\u00a0": " "})
_RUN = re.compile(r"[0-9(](?:[0-9()+\-*/×·÷−–\s\u00a0]|(?<=[\d\s])x(?=[\d\s]))*[0-9)]")
_TOKEN = re.compile(r"\s*([0-9]+|[-+*/()])")
_WORDS = """
what is what's whats calculate compute evaluate find solve the value result answer of please how
much with number only
"""
_AROUND = frozenset(_WORDS.split())


def read(text: str) -> Expression | None:
    """The one expression of `text`; None where there is none, more than one, or where the words
    around it may change what is asked.

    At most 8 operands of at most 9 digits, without signs of their own and without leading zeros.
    """
    runs = list(_RUN.finditer(text))
    if len(runs) != 1:
        return None
    around = text[: runs[0].start()] + " " + text[runs[0].end() :]
    if not set(re.sub(r"[?.:=,]", " ", around).lower().split()) <= _AROUND:
        return None
    return parse(runs[0][0].translate(_SIGNS))


def parse(text: str) -> Expression | None:
    """The expression that `text` is, with the usual precedence, from left to right; None where it
    is none, or a number alone."""
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != "".join(text.split()) or not all(map(_usable, tokens)):
        return None
    operands = sum(token.isdigit() for token in tokens)
    if not 1 < operands <= MOST_OPERANDS or len(tokens) > 6 * MOST_OPERANDS:
        return None
    tokens.append("")
    expression, end = _sum(tokens, 0, 1)
    return expression if expression is not None and end == len(tokens) - 1 else None


def _usable(token: str) -> bool:
    """Whether a number, if it is one, has few digits and no leading zero."""
    return not token.isdigit() or (len(token) <= MOST_DIGITS and token == str(int(token)))


def _sum(tokens: list[str], at: int, rank: int) -> tuple[Expression | None, int]:
    """The expression from `at` on whose operators bind at least as `rank`, and where it ends."""
    left, at = _operand(tokens, at)
    while left is not None and PRECEDENCE.get(tokens[at], 0) >= rank:
        operator = tokens[at]
        right, at = _sum(tokens, at + 1, PRECEDENCE[operator] + 1)
        left = None if right is None else (operator, left, right)
    return left, at


def _operand(tokens: list[str], at: int) -> tuple[Expression | None, int]:
    """A number or what stands in parentheses at `at`, and where it ends."""
    if tokens[at].isdigit():
        return int(tokens[at]), at + 1
    if tokens[at] != "(":
        return None, at
    inside, at = _sum(tokens, at + 1, 1)
    return (inside, at + 1) if tokens[at] == ")" else (None, at)
