r"""Where `\boxed{...}` and `\fbox{...}` stand in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARK = re.compile(r"\\(?:boxed|fbox|framebox)(?![A-Za-z])\s*")


@dataclass(frozen=True, slots=True)
class Box:
    """What a box holds, and where it begins and ends in the text."""

    inside: str
    start: int
    end: int


def boxes(text: str) -> list[Box]:
    r"""The outermost boxes that are closed, in order; `\boxed 5` holds one character."""
    found, at = [], 0
    while (mark := _MARK.search(text, at)) is not None:
        inside = _inside(text, mark.end())
        at = mark.end()
        if inside is not None:
            at += len(inside) + (2 if text[mark.end() : mark.end() + 1] == "{" else 0)
            found.append(Box(inside.strip(), mark.start(), at))
    return found


def _inside(text: str, start: int) -> str | None:
    if text[start : start + 1] != "{":
        bare = re.compile(r"[A-Za-z0-9]+").match(text, start)
        return bare[0] if bare else None
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        depth += (found[0] == "{") - (found[0] == "}")
        if depth == 0:
            return text[start + 1 : found.start()]
    return None
