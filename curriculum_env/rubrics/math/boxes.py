r"""Where `\boxed{...}` and `\fbox{...}` stand in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\\(?:boxed|fbox|framebox)\s*\{|\\.|[{}]", re.DOTALL)
_BARE = re.compile(r"\\(?:boxed|fbox)\s+([A-Za-z0-9]+)")


@dataclass(frozen=True, slots=True)
class Box:
    """What a box holds, and where it begins and ends in the text."""

    inside: str
    start: int
    end: int


def boxes(text: str) -> list[Box]:
    r"""The outermost boxes that are closed, in order; `\boxed 5` holds one word."""
    found = [Box(bare[1], bare.start(), bare.end()) for bare in _BARE.finditer(text)]
    open_at: list[tuple[int, int] | None] = []  # where a box and its inside begin; None: a brace
    for token in _TOKEN.finditer(text):
        if token[0] == "{":
            open_at.append(None)
        elif token[0].endswith("{") and len(token[0]) > 2:
            open_at.append((token.start(), token.end()))
        elif token[0] == "}" and open_at and (box := open_at.pop()) is not None:
            while found and found[-1].start > box[0]:
                found.pop()
            found.append(Box(text[box[1] : token.start()].strip(), box[0], token.end()))
    return sorted(found, key=lambda box: box.start)
