"""Walks through LaTeX with an eye on its brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_OPENING = {"{", "(", "[", r"\{", r"\langle", r"\lfloor", r"\lceil", r"\begin"}
_CLOSING = {"}", ")", "]", r"\}", r"\rangle", r"\rfloor", r"\rceil", r"\end"}


def tokens(text: str) -> list[str]:
    """Commands, escaped characters, runs of space and single characters."""
    return _TOKEN.findall(text)


def depths(parts: list[str]) -> Iterator[tuple[str, int]]:
    """Each token with the number of brackets it stands in; brackets stand outside themselves.

    Half-open intervals mix round and square ones, so kinds are not told apart.
    """
    depth = 0
    for part in parts:
        depth -= part in _CLOSING
        yield part, depth
        depth += part in _OPENING


def split(text: str, separators: frozenset[str]) -> tuple[list[str], list[str]]:
    """The parts of `text` between separators that stand in no bracket, and these separators."""
    parts, found = [""], []
    for part, depth in depths(tokens(text)):
        if depth == 0 and part in separators:
            parts.append("")
            found.append(part)
        else:
            parts[-1] += part
    return [part.strip() for part in parts], found


def balanced(text: str) -> bool:
    """Whether each bracket has its partner."""
    levels = [depth for _, depth in depths([*tokens(text), "."])]
    return min(levels) >= 0 and levels[-1] == 0


def enclosed(text: str) -> tuple[str, str, str] | None:
    """The opening bracket, the inside and the closing bracket, if one pair encloses all."""
    parts = tokens(text)
    if len(parts) < 2 or parts[0] not in _OPENING or parts[-1] not in _CLOSING:
        return None
    levels = [depth for _, depth in depths(parts)]
    if 0 in levels[1:-1] or levels[-1] != 0 or parts[0] == r"\begin":
        return None
    return parts[0], "".join(parts[1:-1]).strip(), parts[-1]


def argument(text: str, start: int) -> tuple[str, int]:
    """What TeX would take as the argument at `start`, without its braces, and where it ends."""
    while start < len(text) and text[start].isspace():
        start += 1
    found = _TOKEN.match(text, start)
    if found is None:
        return "", start
    if found[0] != "{":
        return found[0], found.end()
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] == "{") - (token[0] == "}")
        if depth == 0:
            return text[start + 1 : token.start()], token.end()
    return text[start + 1 :], len(text)
