"""Whether two answers are the same, by their structure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from curriculum_env.rubrics.math.answer import (
    Bracket,
    Combined,
    Listing,
    Matrix,
    Node,
    Relation,
    Value,
    readings,
)
from curriculum_env.rubrics.math.equations import is_name, is_names, is_unknown, same_equation
from curriculum_env.rubrics.math.latex import tidy
from curriculum_env.rubrics.math.numbers import decimal_comma
from curriculum_env.rubrics.math.regions import same_region
from curriculum_env.rubrics.math.symbolic import approximately, expression
from curriculum_env.rubrics.math.values import same_value, squeezed
from curriculum_env.rubrics.math.words import choice, is_choice, spoken

_APPLIED = re.compile(r"[A-Za-z]\s*\(\s*x\s*\)")
_EQUALS = {"=", r"\approx"}


def same_answer(gold: str, answer: str) -> bool:
    """Whether `answer` is the gold one, in any of the readings of either."""
    if is_choice(tidy(gold)):
        return choice(tidy(gold)) == choice(tidy(answer))
    ours, theirs = readings(gold), readings(answer)
    if any(same(a, b) for a in ours for b in theirs):
        return True
    continental = decimal_comma(answer)
    return continental is not None and "." in gold and same(ours[0], readings(continental)[0])


def same(gold: Node, other: Node) -> bool:
    """Whether `other` says what `gold` says, and nothing else."""
    if squeezed(gold.text) == squeezed(other.text):
        return True
    if isinstance(other, Relation) and _assigns(other) and not isinstance(gold, Relation):
        return _same_assigned(gold, other)
    if isinstance(gold, Relation) and isinstance(other, Relation):
        return _same_relation(gold, other)
    if isinstance(gold, Relation) and _names(gold):
        return same(gold.sides[-1], other)
    if isinstance(gold, Value) and isinstance(other, Value):
        return same_value(gold.text, other.text) or bool(same_region(gold, other))
    return _same_structure(gold, other)


def _same_structure(gold: Node, other: Node) -> bool:
    if _shows_region(gold) or _shows_region(other):
        decided = same_region(gold, other)
        if decided is not None:
            return decided
    if isinstance(gold, Matrix) or isinstance(other, Matrix):
        return _same_rows(_rows(gold), _rows(other))
    if isinstance(gold, Bracket) and isinstance(other, Bracket):
        return _same_brackets(gold, other)
    if isinstance(gold, Combined) and isinstance(other, Combined) and gold.sign == other.sign:
        return _same_items(gold.parts, other.parts)
    return _same_lists(gold, other)


# --- equations -------------------------------------------------------------------------------
def _assigns(node: Relation) -> bool:
    return set(node.signs) <= _EQUALS or node.signs == (r"\in",)


def _names(node: Relation) -> bool:
    """Whether it gives a value to a name: `x = 5`, `f(x) = x^2`, `x \\in \\{1, 2\\}`."""
    first = node.sides[0]
    return _assigns(node) and len(node.sides) == 2 and (is_name(first) or is_names(first))


def _same_assigned(gold: Node, other: Relation) -> bool:
    """The sides of `other` against a gold answer that is no equation.

    One side, at an end, may be unknown: a name, or an expression the question had asked for. All
    others have to be the gold answer; what merely approximates it has to be near it.
    """
    sides, signs = list(other.sides), list(other.signs)
    named = is_name if _in_symbols(gold) else is_unknown
    if (named(sides[0]) or is_names(sides[0])) and not _says(gold, sides[0]):
        sides, signs = sides[1:], signs[1:]
    elif is_name(sides[-1]) and set(signs) == {"="}:
        sides, signs = sides[:-1], signs[:-1]
    stated = [side for side, sign in zip(sides, ["=", *signs], strict=False) if sign != r"\approx"]
    near = [side for side in sides if side not in stated]
    if all(_says(gold, side) for side in stated) and stated:
        return all(approximately(stated[0].text, side.text) for side in near)
    return (
        bool(near)
        and _says(gold, near[-1])
        and all(approximately(near[-1].text, side.text) for side in sides)
    )


def _in_symbols(gold: Node) -> bool:
    """Whether the gold answer is itself an expression in variables."""
    found = expression(gold.text) if isinstance(gold, Value) else None
    return found is not None and bool(found.free_symbols)


def _says(gold: Node, side: Node) -> bool:
    return same(gold, side)


def _same_relation(gold: Relation, other: Relation) -> bool:
    decided = same_region(gold, other)
    if decided is not None and not (_names(gold) and _names(other)):
        return decided
    if _names(gold) and _assigns(other):
        named = [i for i, side in enumerate(other.sides) if _same_name(gold.sides[0], side)]
        rest = [side for i, side in enumerate(other.sides) if i not in named]
        if named and rest and all(same(gold.sides[1], side) for side in rest):
            return True
    if len(gold.sides) == len(other.sides) > 2:
        return _same_chain(gold, other)
    return same_equation(gold, other)


def _same_name(gold: Node, side: Node) -> bool:
    """Also `y` for `f(x)`."""
    return same(gold, side) or (
        side.text.strip() == "y" and _APPLIED.fullmatch(gold.text) is not None
    )


def _same_chain(gold: Relation, other: Relation) -> bool:
    return gold.signs == other.signs and all(
        same(a, b) for a, b in zip(gold.sides, other.sides, strict=True)
    )


# --- lists, tuples, sets ---------------------------------------------------------------------
def _shows_region(node: Node) -> bool:
    """Whether it can only be a set of real numbers."""
    if isinstance(node, Bracket):
        return node.opening + node.closing in ("[)", "(]") or r"\infty" in node.text
    if isinstance(node, Listing):
        return any(_shows_region(item) for item in node.items)
    return (
        isinstance(node, Combined)
        or (isinstance(node, Relation) and not _assigns(node))
        or (isinstance(node, Relation) and node.signs == (r"\in",))
        or (isinstance(node, Value) and r"\mathbb" in node.text)
    )


def _same_brackets(gold: Bracket, other: Bracket) -> bool:
    ours, theirs = gold.opening + gold.closing, other.opening + other.closing
    if r"\{" in (gold.opening, other.opening):
        return ours == theirs and _same_items(_distinct(gold.items), _distinct(other.items))
    if ours != theirs and len(gold.items) < 3:
        return False
    return _in_order(gold.items, other.items)


def _in_order(gold: Sequence[Node], other: Sequence[Node]) -> bool:
    return len(gold) == len(other) and all(same(a, b) for a, b in zip(gold, other, strict=True))


def _same_lists(gold: Node, other: Node) -> bool:
    """Lists without brackets, and sets, in any order; with an ellipsis in theirs."""
    for tuple_, listing in ((gold, other), (other, gold)):
        if isinstance(tuple_, Bracket) and tuple_.opening in "([" and isinstance(listing, Listing):
            return _same_assignments(tuple_, listing)
    ours, theirs = _items(gold), _items(other)
    if ours is None or theirs is None or (ours, theirs) == ((gold,), (other,)):
        return False
    if any(r"\ldots" in item.text for item in (*ours, *theirs)) or _several_names(ours) != (
        _several_names(theirs)
    ):
        return _in_order(ours, theirs)
    return _same_items(ours, theirs)


def _same_assignments(gold: Bracket, other: Listing) -> bool:
    """`x = 1, y = 2` for `(1, 2)`, the names in the order of the alphabet."""
    pairs = [item for item in other.items if isinstance(item, Relation) and _names(item)]
    names = [pair.sides[0].text for pair in pairs]
    return (
        len(pairs) == len(other.items)
        and names == sorted(set(names))
        and _in_order(gold.items, [pair.sides[1] for pair in pairs])
    )


def _items(node: Node) -> tuple[Node, ...] | None:
    """The members of a list or a set, without the one name they are given to."""
    if isinstance(node, Bracket):
        empty = any(item.text == r"\emptyset" for item in node.items)
        return _distinct(node.items) if node.opening == r"\{" and not empty else None
    if isinstance(node, Relation) and _names(node):
        return _items(node.sides[1])
    if isinstance(node, Listing):
        return _unnamed(node.items)
    return (node,)


def _several_names(items: tuple[Node, ...]) -> bool:
    """Whether values are given to different names, which then stand in an order: `x = 1, y = 2`."""
    return len(items) > 1 and all(isinstance(item, Relation) and _names(item) for item in items)


def _unnamed(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """`x = 1, x = 2` or `x_1 = 1, x_2 = 2` or `x = 1, 2` as `1, 2`."""
    names = {
        item.sides[0].text.partition("_")[0].strip()
        for item in items
        if isinstance(item, Relation) and _names(item)
    }
    first = isinstance(items[0], Relation)
    named = sum(isinstance(item, Relation) for item in items)
    if len(names) != 1 or not first or named not in (1, len(items)):
        return items
    return tuple(item.sides[1] if isinstance(item, Relation) else item for item in items)


def _same_items(gold: Sequence[Node], other: Sequence[Node]) -> bool:
    """The same items as often, in any order."""
    left = list(other)
    if len(gold) != len(left):
        return False
    for item in gold:
        found = next((i for i, candidate in enumerate(left) if same(item, candidate)), None)
        if found is None:
            return False
        del left[found]
    return True


def _distinct(items: Sequence[Node]) -> tuple[Node, ...]:
    kept: list[Node] = []
    for item in items:
        if not any(same(item, other) for other in kept):
            kept.append(item)
    return tuple(kept)


# --- matrices --------------------------------------------------------------------------------
def _rows(node: Node) -> tuple[tuple[Node, ...], ...] | None:
    """The rows of a matrix, also of one written as `[[1, 2], [3, 4]]`."""
    if isinstance(node, Matrix):
        return node.rows
    if isinstance(node, Bracket) and node.opening == "[":
        rows = [item.items for item in node.items if isinstance(item, Bracket)]
        return tuple(rows) if len(rows) == len(node.items) else None
    return None


def _same_rows(
    gold: tuple[tuple[Node, ...], ...] | None, other: tuple[tuple[Node, ...], ...] | None
) -> bool:
    if gold is None or other is None or len(gold) != len(other):
        return False
    return all(_in_order(a, b) for a, b in zip(gold, other, strict=True))


def contradicts(node: Node) -> bool:
    """Whether an equation between constants says what is not so."""
    if not isinstance(node, Relation) or set(node.signs) != {"="}:
        return False
    stated = [side for side in node.sides if not is_unknown(side)]
    return spoken(node.text) is None and any(not same(stated[0], side) for side in stated[1:])
