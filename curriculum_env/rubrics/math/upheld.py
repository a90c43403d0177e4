"""Whether the words around an answer stand by it, or deny it, add to it or take it back."""

from __future__ import annotations

import re

from curriculum_env.rubrics.math.prose import announced
from curriculum_env.rubrics.math.settle import folded, withdrawn
from curriculum_env.rubrics.math.words import COUNTS

_DENIED = re.compile(
    r"(?:\b(?:not|cannot|never|hardly|unlikely|except|anything but|other than|rather than)|n['’]t)"
    r"(?:\s+(?:be|the|think|believe|it|is|that|this|equal|to|true|an?|right|correct|final|answer))*"
    r"[\s:$(*]*$",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:(?<!only )if|suppose|assume|whether|wrong|incorrect|false|mistaken)\b[^,.;\n]*$",
    re.IGNORECASE,
)
_GLUED = re.compile(
    r"(?:\d|(?:^|[=\s$({])[-−]\s*|\\(?:cdot|times|neg|not|neq?|sqrt|[dt]?frac)\b[\s{]*|≠\s*|\s[<>]\s*|"
    r"[\^_][\s{]*|\}\{|\\text\{\s*not\s*\}\s*)$"
)
_ONE = r"[$(\\\[]*\s*(?:[-−]?\d|\\|[A-J]\b|" + "|".join(COUNTS) + r")"
_ADDED = re.compile(
    r"[\s$)*]*(?:[,;/(]\s*)*(?:\\text\{\s*)?(?:or|and|versus|vs\.?|alternatively|also|but)\b[\s,:}]*"
    rf"(?:also|else|maybe|even|possibly|perhaps|equivalently)?\s*{_ONE}"
    r"|[\s$)*]*(?:if|when|for)\b[^.\n]*(?:\b(?:and|or)\b|,)\s*\$?-?\d+\$?\s*(?:if|when|for|otherwise)\b"
    r"|[\s$)*<-]*(?:(?:is|was)\s+)?(?:wrong|incorrect|false)\b|[\s$)*]*(?:is|was)(?:\s+not|n['’]t)\b"
    r"|[\s$)*]*\?|\d|\.\d|\s+[<>]\s",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"[\s$]*(?:\\text\s*\{\s*)?(hundred|thousand|million|billion|trillion|dozen|squared|cubed)\b"
)
TAG = re.compile(r"<answer>(.{0,2000}?)</answer>", re.DOTALL | re.IGNORECASE)
_PRAISE = re.compile(r"(?:correct|right|verified|confirmed|as|in|shown|given|boxed|above)\b", re.I)
_OPERATOR = re.compile(
    r"\$?\s*(?:\^|\+|\*(?!\*)|/|-\s*(?=[\d$\\])|\\(?:times|cdot|div)\b)\s*[$({\\]*\w(?P<rest>[^\n]*)"
)


def upheld(answer: str, before: str, after: str) -> str | None:
    """The `answer` that stands between `before` and `after`; None when they do not stand by it.

    One that is announced once more in another form becomes a chain (`1/2 = 0.5`), which has to be
    true.
    """
    if disowned(before, after):
        return None
    if size := _SIZE.match(after):
        return f"{answer} {size[1]}"
    tag = TAG.search(after)
    later = tag[1].strip() if tag else announced(after)
    if later is None or folded(later) == folded(answer) or _is_letter(later):
        return answer
    if not later or "," in later + answer:
        return None
    return f"{answer} = {later}" if _is_value(later) else answer


def disowned(before: str, after: str) -> bool:
    """Whether an answer between `before` and `after` is denied, added to or taken back."""
    before = before[-80:]
    going_on = _OPERATOR.match(after)
    return bool(
        _DENIED.search(before)
        or _SUPPOSED.search(before)
        or (_GLUED.search(before) and "=" not in after.partition("\n")[0])
        or _ADDED.match(after)
        or (going_on and "=" not in going_on["rest"])
        or withdrawn(after)
    )


def _is_letter(text: str) -> bool:
    return re.fullmatch(r"\(?[A-J]\)?\.?", text.strip()) is not None


def _is_value(text: str) -> bool:
    if _PRAISE.match(text):
        return False
    return len(text) < 100 and (re.search(r"\d|\\", text) is not None or len(text.split()) < 4)
