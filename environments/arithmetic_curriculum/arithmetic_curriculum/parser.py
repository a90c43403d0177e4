r"""The number a reply settles on.

Looked for in this order: the last `\boxed{...}` or `\fbox{...}`, the last "answer is ..." (also
`answer:`, `result =`, `####`), the last number of the reply. A number that is only an operand of
something left uncalculated (`0 + 5`, `\boxed{24/2}`) is no answer, or repeating the question would
score. A box that holds anything but one number is no answer either, nor is a number that is denied
(`not 13`), offered beside another (`13 or 14`) or said to be another (`14 = 13`).
"""

from __future__ import annotations

import re
from fractions import Fraction

MAX_DIGITS = 400
HUGE = re.compile(r"[eE][-+]?[0-9]{4}")

THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
SYMBOLS = str.maketrans(
    dict.fromkeys("\u2212\u2012\u2013\uff0d\ufe63", "-")  # minus, figure and en dash, wide, small
    | {"×": "*", "·": "*", "÷": "/", "\u00a0": "\u2009", "\u202f": "\u2009"}  # no-break spaces
)
THOUSANDS = re.compile(
    r"(?<![0-9.])[0-9]{1,3}(,|\{,\}|\\,|\u2009)[0-9]{3}(?:\1[0-9]{3})*(?![0-9])", re.ASCII
)
LATEX = (
    (re.compile(r"\\(?:times|cdot)(?![A-Za-z])"), "*"),
    (re.compile(r"\\div(?![A-Za-z])"), "/"),
    (re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*)\}"), r" \1 "),
    (re.compile(r"\\(?:left|right)(?![A-Za-z])|\\[!,;: ]|\u2009"), " "),
)

NUMBER = r"(?:(?<=[=:( $])[-+] ?|[-+])?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
RUN = rf"(?<![A-Za-z0-9_.]){NUMBER}(?:[ \t)$]*(?:\*\*|[-+*/^])[ \t($]*{NUMBER})*"
OPENING = r"[\s(\[$*_\"'`\\]*"

BOX = re.compile(r"\\(?:boxed|fbox)\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
BOXED = re.compile(rf"{OPENING}(?:[A-Za-z]\s*=\s*)?({RUN})[)\]\s$%.A-Za-z]*")
CUE = re.compile(r"\b(?:answer|result)\b[^\n.]{0,80}?(?:\b(?:is|equals)\b|[:=])|####", re.I)
SETTLED = re.compile(rf"{OPENING}(?:[A-Za-z]\s*=\s*)?(?:{RUN}[ \t)$]*={OPENING})*({RUN})")
CANDIDATE = re.compile(RUN)

NEAR = 80
CLOSING = r"[\s)\]}$*_\"'`\\.,]*"
DENIED = re.compile(rf"(?:\bnot|n't)(?:\s+equal)?(?:\s+to)?{OPENING}\Z", re.I)
OR = r"\bor\b[\s,]*(?:(?:maybe|perhaps|possibly|even)\b)?"
OTHER_BEFORE = re.compile(rf"({RUN}){CLOSING}(?:{OR}|=){OPENING}\Z", re.I)
OTHER_AFTER = re.compile(rf"{CLOSING}{OR}{OPENING}({RUN})", re.I)


def parse_answer(reply: str) -> Fraction | None:
    """The number `reply` gives as its answer, exactly; None when it gives none."""
    text = _plain(reply)
    if boxes := list(BOX.finditer(text)):
        boxed = BOXED.fullmatch(boxes[-1][1])
        return _meant(text, boxes[-1].span(), boxed[1]) if boxed else None
    for cue in reversed(list(CUE.finditer(text))):
        settled = SETTLED.match(text, cue.end())
        if settled and _number(settled[1]) is not None:
            return _meant(text, settled.span(1), settled[1])
    for found in reversed(list(CANDIDATE.finditer(text))):
        if _number(found[0]) is not None and not DENIED.search(_before(text, found.start())):
            return _meant(text, found.span(), found[0])
    return None


def _meant(text: str, span: tuple[int, int], run: str) -> Fraction | None:
    """The number of `run`, unless what stands around `span` takes it back."""
    start, end = span
    number, before = _number(run), _before(text, start)
    others = (OTHER_BEFORE.search(before), OTHER_AFTER.match(text, end, end + NEAR))
    named = {_number(other[1]) for other in others if other} - {None, number}
    return None if named or DENIED.search(before) else number


def _before(text: str, start: int) -> str:
    return text[max(start - NEAR, 0) : start]


def _plain(text: str) -> str:
    """Thoughts, typography and thousands separators taken out."""
    text = THOUGHT.sub(" ", text).translate(SYMBOLS)
    text = THOUSANDS.sub(lambda found: found[0].replace(found[1], ""), text)
    for pattern, replacement in LATEX:
        text = pattern.sub(replacement, text)
    return text


def _number(run: str) -> Fraction | None:
    """The value of a run of numbers and operators that is one number: an integer, a decimal or a
    fraction in lowest terms."""
    compact = "".join(run.split())
    if len(compact) > MAX_DIGITS or HUGE.search(compact):
        return None
    try:
        value = Fraction(compact)
    except (ValueError, ZeroDivisionError):
        return None
    _, slash, denominator = compact.partition("/")
    return None if slash and int(denominator) != value.denominator else value
