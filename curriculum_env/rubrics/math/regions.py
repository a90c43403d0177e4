"""Sets of real numbers, however written: intervals, inequalities, unions, `\\mathbb{R}`."""

from __future__ import annotations

import re
from typing import Any

import sympy

from curriculum_env.rubrics.math.answer import (
    OR,
    Bracket,
    Combined,
    Listing,
    Node,
    Relation,
    Value,
)
from curriculum_env.rubrics.math.numbers import exact
from curriculum_env.rubrics.math.symbolic import expression, same_number

_FLIPPED = {"<": ">", ">": "<", r"\le": r"\ge", r"\ge": r"\le", r"\neq": r"\neq"}
_NAMED = {
    r"\mathbb{R}": sympy.S.Reals, r"\mathbb{Z}": sympy.S.Integers, r"\mathbb{N}": sympy.S.Naturals,
    r"\emptyset": sympy.S.EmptySet, r"\mathbb{Q}": sympy.S.Rationals,
}  # fmt: skip
_REALS = re.compile(
    r"(?:\\text\{\s*)?all real (?:numbers|values)(?:\s*\})?|\\text\{\s*all reals\s*\}"
)
_ENDLESS = {r"\infty": sympy.oo, r"+\infty": sympy.oo, r"-\infty": -sympy.oo}


class Regions:
    """Reads regions; equal endpoints in different forms become one number, so `==` suffices."""

    def __init__(self) -> None:
        self._ends: list[Any] = []

    def read(self, node: Node) -> Any:
        """The set that `node` is, with the variable it bounds; None when it is no such set."""
        if isinstance(node, Combined):
            return self._combined(node)
        if isinstance(node, Bracket):
            return self._bracket(node)
        if isinstance(node, Relation):
            return self._relation(node)
        if isinstance(node, Listing):
            return self._listing(node)
        if isinstance(node, Value):
            if _REALS.fullmatch(node.text):
                return sympy.S.Reals
            return _NAMED.get(node.text.replace(" ", ""))
        return None

    def _combined(self, node: Combined) -> Any:
        parts = [self._part(part) for part in node.parts]
        if any(part is None for part in parts):
            return None
        if node.sign == r"\cup":
            return sympy.Union(*parts)
        return sympy.Complement(parts[0], sympy.Union(*parts[1:]))

    def _part(self, node: Node) -> Any:
        """A set, also a single number that was written in braces."""
        found = self.read(node)
        end = self._end(node) if found is None else None
        return found if end is None else sympy.FiniteSet(end)

    def _bracket(self, node: Bracket) -> Any:
        ends = [self._end(item) for item in node.items]
        if any(end is None for end in ends):
            return None
        if node.opening == r"\{":
            return sympy.FiniteSet(*ends)
        if len(ends) != 2 or node.opening not in "([" or node.closing not in ")]":
            return None
        if (ends[0], node.opening) == (-sympy.oo, "[") or (ends[1], node.closing) == (
            sympy.oo,
            "]",
        ):
            return None
        return sympy.Interval(ends[0], ends[1], node.opening == "(", node.closing == ")")

    def _listing(self, node: Listing) -> Any:
        parts = [self.read(item) for item in node.items if isinstance(item, (Relation, Bracket))]
        if len(parts) < len(node.items) or any(part is None for part in parts):
            return None
        if len({variable(item) for item in node.items}) > 1:
            return None
        both = sympy.Intersection(*parts)
        excluded = all(r"\neq" in item.text for item in node.items)
        if excluded or (not node.either and OR not in node.text and not both.is_empty):
            return both
        return sympy.Union(*parts)

    def _relation(self, node: Relation) -> Any:
        if node.signs == (r"\in",):
            return self.read(node.sides[1])
        if len(node.sides) == 2 and node.signs[0] in _FLIPPED:
            left, right = node.sides
            if _is_variable(left):
                return self._half(node.signs[0], right)
            return self._half(_FLIPPED[node.signs[0]], left) if _is_variable(right) else None
        if (
            len(node.sides) == 3
            and _is_variable(node.sides[1])
            and set(node.signs) <= set(_FLIPPED)
        ):
            low, high = (
                self._half(_FLIPPED[node.signs[0]], node.sides[0]),
                self._half(node.signs[1], node.sides[2]),
            )
            return None if low is None or high is None else sympy.Intersection(low, high)
        return None

    def _half(self, sign: str, end: Node) -> Any:
        """The numbers x with `x sign end`."""
        at = self._end(end)
        if at is None:
            return None
        if sign == r"\neq":
            return sympy.Complement(sympy.S.Reals, sympy.FiniteSet(at))
        if sign in ("<", r"\le"):
            return sympy.Interval(-sympy.oo, at, True, sign == "<")
        return sympy.Interval(at, sympy.oo, sign == ">", True)

    def _end(self, node: Node) -> Any:
        """A real number or an infinity."""
        if not isinstance(node, Value):
            return None
        text = node.text.replace(" ", "")
        if text in _ENDLESS:
            return _ENDLESS[text]
        number = exact(node.text)
        if number is not None:
            return sympy.Rational(number.value.numerator, number.value.denominator)
        value = expression(node.text)
        if value is None or value.free_symbols or value.is_extended_real is False:
            return None
        known = next((end for end in self._ends if same_number(end, value)), None)
        if known is None:
            self._ends.append(value)
        return value if known is None else known


def _is_variable(node: Node) -> bool:
    return isinstance(node, Value) and variable(node) is not None


def variable(node: Node) -> str | None:
    """The symbol that a bound is about."""
    if isinstance(node, Relation):
        return next((found for side in node.sides if (found := variable(side))), None)
    if isinstance(node, Value) and re.fullmatch(
        r"[A-Za-df-hj-z](?:_\{?\w+\}?)?|\\(?!pi|infty)[a-z]+|f\(x\)", node.text.strip()
    ):
        return node.text.strip()
    return None


def same_region(gold: Node, other: Node) -> bool | None:
    """Whether both are the same set of real numbers; None where one of them is none."""
    regions = Regions()
    ours, theirs = regions.read(gold), regions.read(other)
    if ours is None or theirs is None:
        return None
    names = {name for node in (gold, other) if (name := _bounded(node)) is not None}
    return len(names) <= 1 and bool(
        ours == theirs or sympy.SymmetricDifference(ours, theirs).is_empty
    )


def _bounded(node: Node) -> str | None:
    if isinstance(node, Listing):
        return variable(node.items[0])
    return variable(node) if isinstance(node, Relation) else None
