"""The structure of an answer: a value, a list, brackets, an equation, a union, a matrix."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from curriculum_env.rubrics.math.latex import tidy
from curriculum_env.rubrics.math.numbers import exact, plain_numbers
from curriculum_env.rubrics.math.scan import enclosed, split

AND, OR = r"\land", r"\lor"
_LISTS = frozenset({",", ";", AND, OR})
_RELATIONS = frozenset({"=", "<", ">", r"\le", r"\ge", r"\neq", r"\approx", r"\in", r"\equiv"})
_MATRIX = re.compile(r"\\begin\{([bBpvV]?matrix|array)\}(?:\{[clr|]*\})?(.*)\\end\{\1\}", re.DOTALL)
_SCALED = re.compile(
    r"([^&]+?)\s*(?:\\cdot|\\times)?\s*(\\begin\{[bBpvV]?matrix\}(?:(?!\\end).)*\\end\{\w+\})",
    re.DOTALL,
)
_OUTWARD = re.compile(r"([\]\[(])([^\[\]]+[,;][^\[\]]+)([\[\])])")


@dataclass(frozen=True, slots=True)
class Value:
    """Anything without structure: a number, a formula, words."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Items side by side; `either` when they are joined by "or" alone."""

    text: str
    items: tuple[Node, ...]
    either: bool = False


@dataclass(frozen=True, slots=True)
class Bracket:
    """Items in brackets: `()` a tuple or an open interval, `\\{\\}` a set."""

    text: str
    opening: str
    closing: str
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """`sides[0] signs[0] sides[1] signs[1] ...`"""

    text: str
    sides: tuple[Node, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """Sets joined by `sign`, a union or a difference."""

    text: str
    sign: str
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of items."""

    text: str
    rows: tuple[tuple[Node, ...], ...]


Node: TypeAlias = "Value | Listing | Bracket | Relation | Combined | Matrix"


@lru_cache(maxsize=8192)
def readings(text: str) -> tuple[Node, ...]:
    """What `text` may mean; more than one where `1,234` may be a number or a list."""
    text = trimmed(tidy(text))
    return tuple(
        read(variant)
        for variant in dict.fromkeys(plain_numbers(text, commas=commas) for commas in (True, False))
    )


def trimmed(text: str) -> str:
    """Without punctuation at the end and braces around all."""
    text = text.strip()
    while text and text[-1] in ".,;:" and not text.endswith(("\\,", "\\;", "\\:")):
        text = text[:-1].rstrip()
    found = enclosed(text)
    return trimmed(found[1]) if found and found[0] == "{" and found[1] else text


def read(text: str) -> Node:
    """The structure of `text`, a tidy one."""
    text = _last_step(trimmed(text))
    if (matrix := _MATRIX.fullmatch(text)) is not None:
        return Matrix(text, _rows(matrix[2]))
    if (scaled := _SCALED.fullmatch(text)) is not None and exact(scaled[1]) is not None:
        return _scaled(text, scaled[1], scaled[2])
    parts, signs = split(text, _LISTS)
    items = [part for part in parts if part]
    if len(items) > 1:
        either = OR in signs and set(signs) <= {OR, ","}
        return Listing(text, _read_all(items), either)
    if len(parts) > 1 and items:
        return read(items[0])
    return _relation(text) or _sets(text) or _bracket(text) or _plus_minus(text) or Value(text)


def _read_all(texts: list[str]) -> tuple[Node, ...]:
    found = [read(text) for text in texts]
    return tuple(item for node in found for item in _members(node))


def _members(node: Node) -> tuple[Node, ...]:
    """Several where a list was written as one item, `\\pm 2`."""
    pair = isinstance(node, Listing) and (r"\pm" in node.text or r"\mp" in node.text)
    return node.items if isinstance(node, Listing) and pair else (node,)


def _last_step(text: str) -> str:
    return text.rsplit(r"\Rightarrow", 1)[-1].strip() if r"\Rightarrow" in text else text


def _rows(inside: str) -> tuple[tuple[Node, ...], ...]:
    rows = split(inside.replace(r"\hline", " "), frozenset({r"\\"}))[0]
    rows = [re.sub(r"^\[[\d.]*(?:pt|em|ex|mm)\]", "", row).strip() for row in rows]
    return tuple(tuple(map(read, split(row, frozenset("&"))[0])) for row in rows if row)


def _scaled(text: str, factor: str, matrix: str) -> Node:
    """A number times a matrix, multiplied out."""
    inside = read(matrix)
    assert isinstance(inside, Matrix)
    return Matrix(
        text,
        tuple(
            tuple(Value(f"({factor})\\cdot ({item.text})") for item in row) for row in inside.rows
        ),
    )


def _relation(text: str) -> Node | None:
    sides, signs = split(text, _RELATIONS)
    if not signs or not all(sides):
        return None
    if signs == [r"\in"] and enclosed(sides[1]):
        inside = read(sides[1])
        return Relation(text, (read(sides[0]), inside), (r"\in",))
    return Relation(text, tuple(map(read, sides)), tuple(signs))


def _sets(text: str) -> Node | None:
    for sign in (r"\cup", r"\setminus"):
        parts, signs = split(text, frozenset({sign}))
        if signs and all(parts):
            return Combined(text, sign, tuple(map(read, parts)))
    return None


def _bracket(text: str) -> Node | None:
    if (outward := _OUTWARD.fullmatch(text)) and (outward[1] == "]" or outward[3] == "["):
        text = f"{outward[1].replace(']', '(')}{outward[2]}{outward[3].replace('[', ')')}"
    found = enclosed(text)
    if found is None or not found[1] or found[0] in (r"\lfloor", r"\lceil"):
        return None
    opening, inside, closing = found
    if opening == r"\{" and (built := split(inside, frozenset({"|", ":"}))[0])[1:]:
        return read(built[-1])
    items = _items(inside)
    if len(items) == 1:
        alone = read(inside)
        kept = isinstance(alone, (Listing, Bracket)) or alone.text == r"\emptyset"
        return Bracket(text, opening, closing, (alone,)) if kept and opening != "(" else alone
    if opening == r"\langle":
        opening, closing = "(", ")"
    return Bracket(text, opening, closing, _read_all(items))


def _items(inside: str) -> list[str]:
    return [part for part in split(inside, _LISTS)[0] if part]


def _plus_minus(text: str) -> Node | None:
    if r"\pm" not in text and r"\mp" not in text:
        return None
    pair = (_signed(text, "+", "-"), _signed(text, "-", "+"))
    return Listing(text, tuple(map(read, pair)), either=True)


def _signed(text: str, above: str, below: str) -> str:
    return text.replace(r"\pm", above).replace(r"\mp", below).strip().removeprefix("+").strip()
