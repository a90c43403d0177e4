"""Exact match: an answer is right when it is the gold text, but for case, space and punctuation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SPACE = re.compile(r"\s+")
_EDGES = " \t\n.,;:!?\"'`*“”‘’"


def folded(text: str) -> str:
    """`text` in one Unicode form (NFKC), without case, runs of space or punctuation at its ends."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return _SPACE.sub(" ", text).strip(_EDGES)


def exact_match(gold: str | Sequence[str], answer: str, *, strict: bool = False) -> bool:
    """Whether `answer` is `gold`, or one of them; `strict` compares the texts as they are.

    An empty answer matches nothing.
    """
    golds = [gold] if isinstance(gold, str) else gold
    if strict:
        return bool(answer) and answer in golds
    found = folded(answer)
    return bool(found) and found in {folded(text) for text in golds}
