"""Equations and the values they give to names."""

from __future__ import annotations

import re
from typing import Any

import sympy

from curriculum_env.rubrics.math.answer import Node, Relation, Value
from curriculum_env.rubrics.math.symbolic import equal, expression

_NAME = re.compile(
    r"(?:[A-Za-z]|\\(?:alpha|beta|gamma|delta|theta|lambda|mu|phi|rho|sigma|omega|tau|epsilon|eta|"
    r"xi|psi|Delta|Omega|ell))(?:_\{?[\w,]+\}?)?'*(?:\^\{-1\})?(?:\s*\([A-Za-z,\s]+\))?"
)
_LABEL = re.compile(
    r"(?:m\s*)?\\(?:angle|triangle|overline|widehat|hat|vec|bar)\s*\{?[A-Za-z\s]+\}?|[A-Z]{2,4}|"
    r"\|?[A-Z]{1,2}\|?|\[[A-Z]+\]|P\([^()=]*\)|[A-Za-z]\(\d+\)|\\text\{[A-Za-z\s]+\}(?:_\{?\w+\}?)?"
)
_BRACKETED = re.compile(r"\(?\s*[a-zA-Z](?:\s*,\s*[a-zA-Z])+\s*\)?")


def is_name(node: Node) -> bool:
    """Whether it only names what the answer is about: `x`, `f(x)`, `\\angle ABC`, `P(A)`."""
    text = node.text.strip()
    return bool(_NAME.fullmatch(text) and text != "e") or bool(_LABEL.fullmatch(text))


def is_names(node: Node) -> bool:
    """Whether it names several things at once: `(x, y)`."""
    return _BRACKETED.fullmatch(node.text.strip()) is not None


def is_unknown(node: Node) -> bool:
    """Whether it is an expression in unknowns, such as `m+n`, that an equation may ask for."""
    if is_name(node) or is_names(node):
        return True
    found = expression(node.text) if isinstance(node, Value) else None
    return found is not None and bool(found.free_symbols) and _varies(found)


def _varies(found: Any) -> bool:
    """Whether it depends on its unknowns at all (`x - x + 3` does not)."""
    return any(sympy.diff(found, symbol) != 0 for symbol in found.free_symbols) and not bool(
        sympy.simplify(found).is_number
    )


def same_equation(gold: Relation, other: Relation) -> bool:
    """Two equations or inequalities of two sides: equal but for a constant factor and the side.

    The factor of an inequality has to be positive.
    """
    if len(gold.sides) != 2 or len(other.sides) != 2:
        return False
    ours, theirs = _difference(gold), _difference(other)
    if ours is None or theirs is None or ours[1] != theirs[1]:
        return False
    if ours[0].free_symbols != theirs[0].free_symbols or not ours[0].free_symbols:
        return False
    ratio = _ratio(ours[0], theirs[0])
    if ratio is None or not equal(ours[0], ratio * theirs[0]):
        return False
    return ours[1] in ("=", r"\neq") or bool(ratio > 0)


def _difference(node: Relation) -> tuple[Any, str] | None:
    """`left - right` and the sign, with the larger side left."""
    left, right = (expression(side.text) for side in node.sides)
    if left is None or right is None:
        return None
    sign = node.signs[0]
    if sign in ("<", r"\le"):
        left, right, sign = right, left, {"<": ">", r"\le": r"\ge"}[sign]
    return left - right, sign


def _ratio(gold: Any, other: Any) -> Any:
    """`gold / other` at one point, as a short rational number; None when there is none."""
    at = {
        symbol: sympy.Rational(137 + 46 * i, 59 + 12 * i)
        for i, symbol in enumerate(sorted(gold.free_symbols, key=str))
    }
    above, below = gold.evalf(40, subs=at), other.evalf(40, subs=at)
    if not (above.is_Float and below.is_Float) or below == 0 or above == 0:
        return None
    ratio = above / below
    short = sympy.nsimplify(ratio, rational=True, tolerance=sympy.Float(10) ** -25)
    return short if short.q < 10**6 else ratio
