"""Which of several boxes is the answer, if any."""

from __future__ import annotations

import re

from curriculum_env.rubrics.math.boxes import Box

RETRACTED = re.compile(
    r"\b(?:wait|mistaken?|correct(?:ion|ed)|error|wrong|incorrect|oops|sorry|instead|actually|"
    r"re-?check|reconsider|not right|let me redo|try again)\b",
    re.IGNORECASE,
)
_WITHDRAWN = re.compile(
    r"\b(?:wait|oops|kidding|never\s*mind|scratch that|on second thought|correction|i was mistaken|"
    r"should (?:be|have been)|"
    r"i made an? (?:mistake|error))\b|^\W*(?:no\b,|or\b|sorry\b|actually\b|alternatively\b)"
    r"|\b(?:that|this|it|which|(?:my|the|above)(?: \w+)? answer)\s*(?:is|was|'s|’s|be)\s+"
    r"(?:(?:all|clearly|actually|probably|likely|also)\s+)?(?:wrong|incorrect|false|mistaken|a lie|"
    r"not (?:right|correct|true|the))\b"
    r"|\b(?:it|answer)\s+(?:could|may|might|can)\s+(?:also\s+|as well\s+)?be\b",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\b(?:final|answer)\b[^\n]{0,80}$", re.IGNORECASE)
_BESIDE = re.compile(
    r"(?:\\(?:quad|qquad|text\{\s*(?:and|or)\s*\}|[,;! ()\[\]])|\band\b|\bor\b|[\s$,;&.])*"
)
_FAR = 100


def folded(text: str) -> str:
    """`text` without what never matters between two boxes."""
    return re.sub(r"\s|\\[,;! ]", "", text).replace("dfrac", "frac")


def settled(text: str, found: list[Box]) -> str | None:
    """What the boxes say together; None when they are different answers."""
    found = [box for box in found if box.inside]
    if not found:
        return None
    if len({folded(box.inside) for box in found}) == 1:
        return found[-1].inside
    first = len(found) - 1
    while first > 0 and _beside(text, found[first - 1], found[first]):
        first -= 1
    if first > 0 and not _taken_back(text, found[:first], found[first]):
        return None
    return ", ".join(dict.fromkeys(box.inside for box in found[first:]))


def withdrawn(after: str) -> bool:
    """Whether what comes `after` an answer takes it back."""
    return _WITHDRAWN.search(after) is not None


def _beside(text: str, one: Box, two: Box) -> bool:
    gap = text[one.end : two.start]
    return len(gap) <= _FAR and _BESIDE.fullmatch(gap) is not None and "\n\n" not in gap


def _taken_back(text: str, earlier: list[Box], last: Box) -> bool:
    """Whether the last box stands instead of the earlier ones rather than beside them."""
    between = text[earlier[-1].end : last.start]
    if RETRACTED.search(between):
        return True
    starts = [0, *(box.end for box in earlier)]
    final = [
        bool(_FINAL.search(text[start : box.start]))
        for start, box in zip(starts, [*earlier, last], strict=True)
    ]
    return final[-1] and not any(final[:-1]) and "\n" in between
