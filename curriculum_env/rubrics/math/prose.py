"""Answers in no box: announced by a phrase, standing alone, or ending the last sentence."""

from __future__ import annotations

import re
from itertools import pairwise

from curriculum_env.rubrics.math.settle import RETRACTED, folded

_VERB = r"(?:\bis\b\s*:?|\bequals\b|\bwill be\b|\bwould be\b|\bshould be\b|\bmust be\b|[:=])"
_CUE = re.compile(
    r"\bfinal\s+answer\b[*:\s]*(?=\n)"
    r"|\b(?:final\s+)?(?:answer|result)\b(?:\s+(?:to|of|for|here|we)\b[^\n.:=?]{0,60})?"
    rf"(?:\s+(?:therefore|thus|then|hence))?\s*\**\s*{_VERB}(?:\s*\b(?:therefore|thus|hence)\b)?\s*\**"
    r"|\b(?:option|choice)\s+is\b:?"
    r"|####\s*\**",
    re.IGNORECASE,
)
_WAVERS = re.compile(
    r"\b(?:not|isn't|isnt|aren't|wasn't|never|neither|nor|either|maybe|perhaps|possibly|might|"
    r"could be|may be|unsure|guess|guessing|unless|wrong|incorrect|cannot|can't|impossible to say|"
    r"don't know|do not know|unclear|one of|some say|if)\b|\?",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\b(?:let|let's|suppose|assume|assuming|consider|try)\b", re.IGNORECASE)
_THUS = re.compile(r"(?:so|thus|hence|therefore|ergo|then|finally)\b[,:]?\s+(?=[^A-Za-z])", re.I)
_SENTENCE = re.compile(r"(?<=[.!?])[)*\"']*\s+(?=[A-Z\\$*(])|\n+")
_NEXT = re.compile(r"(?<=[.!?])[)*\"']*\s+(?=[A-Z])")
_REST = re.compile(
    r"(?:[.;]\s+(?=[A-Za-z])|,?\s+(?:because|since|as|so|which|where|when|by|that|after|using|but|"
    r"for)\b|\n|\s\().*",
    re.DOTALL,
)
_MATH = re.compile(
    r"(?<!\\)\$\$?(.+?)(?<!\\)\$\$?|(?<!\\)\\\((.+?)\\\)|(?<!\\)\\\[(.+?)\\\]", re.DOTALL
)
_JOINED = re.compile(r"\s*(?:,|and|or|,\s*and|,\s*or)\s*[$\\(]")
_UNIT = re.compile(r"\s*([A-Za-z%°][A-Za-z/° ]{0,30}(?:\^\{?\d\}?)?)?\s*(?=[.,;*]|$)")
_NUMBER = re.compile(
    r"(?<![\w.\\])-?(?:\\?\$\s*)?(?:\d+(?:[.,]\d+)*(?:\s*/\s*\d+)?|\\[dt]?frac\s*\{[^{}]*\}\{[^{}]*\}|"
    r"\\sqrt\{[^{}]*\})(?:\s*(?:\\?%|°))?"
)
_CONCLUDES = re.compile(
    r"(?<!\\)\b(?:so|thus|therefore|hence|total|altogether|answer|result|equals?|is|are|get|gives?|has|"
    r"have|left|makes?|needs?|costs?|was|were|will|sold|there)\b|=|\\Rightarrow|\\implies|∴",
    re.IGNORECASE,
)
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}(?![A-Za-z])")
_GROUPS = re.compile(r"\\(?:text|mathrm|mbox|begin|end)\s*\{[^{}]*\}")
_NAMED = re.compile(r"\\?[A-Za-z]+(?:_\{?\w+\}?)?(?:\([A-Za-z]\))?")
_BARE_WORDS = 6
_BARE_LENGTH = 1_500


# --- announced -------------------------------------------------------------------------------
def announced(text: str) -> str | None:
    """What the last "answer is" announces; "" when an earlier one announced something else."""
    cues = list(_CUE.finditer(text))
    if not cues or (value := _after(text, cues[-1])) is None:
        return None
    others = [
        cue
        for cue in cues[:-1]
        if (said := _after(text, cue)) and not _CUE.search(said) and folded(said) != folded(value)
    ]
    final = _is_final(cues[-1]) and not any(map(_is_final, others))
    if others and not final and not RETRACTED.search(text[others[-1].end() : cues[-1].start()]):
        return ""
    return value


def _is_final(cue: re.Match[str]) -> bool:
    return "final" in cue[0].lower()


def _after(text: str, cue: re.Match[str]) -> str | None:
    """The value after a cue, when its sentence stands by it."""
    line = text[cue.end() :].lstrip(" \t*:=\n").split("\n", 1)[0]
    before = _SENTENCE.split(text[: cue.start()])[-1]
    if _WAVERS.search(before) or _WAVERS.search(_without_math(line)):
        return None
    return _value(_NEXT.split(line, maxsplit=1)[0])


def _without_math(line: str) -> str:
    return _MATH.sub(" ", line)


def _value(sentence: str) -> str | None:
    """The value in what follows "is": one formula and its unit, or the words up to a pause."""
    sentence = sentence.strip().strip("*").strip()
    first = _MATH.match(sentence)
    if first is not None and not _JOINED.match(sentence, first.end()):
        unit = _UNIT.match(sentence, first.end())
        return " ".join(filter(None, [*first.groups(), unit and unit[1]]))
    return _REST.sub("", sentence, count=1).strip().rstrip(".,;*").strip("*` ") or None


# --- standing alone --------------------------------------------------------------------------
def bare(text: str) -> str | None:
    """The whole text, when it holds no sentence."""
    if "\n" in text or len(text) > _BARE_LENGTH or text.endswith("?"):
        return None
    text = _THUS.sub("", re.sub(r"^(?:\.{2,}|…|=|∴|\s)+", "", text), count=1)
    outside = _GROUPS.sub(" ", _without_math(text)).strip()
    words, counts = _PROSE.findall(outside), re.search(r"\d|\$|\\[a-z]", text)
    if counts and words and (_SUPPOSES.search(text) or (words[1:] and _WAVERS.search(text))):
        return None
    if len(words) > _BARE_WORDS or (counts and len(words) > 1 and _PROSE.match(outside)):
        return None
    return re.sub(r"(?<![.\d])!$|(?<!\.)\.$", "", text).strip("*` ")


# --- the last sentence -----------------------------------------------------------------------
def concluded(text: str) -> str | None:
    """The value of the last sentence."""
    last = next((part.strip() for part in reversed(_SENTENCE.split(text)) if part.strip()), "")
    outside = _without_math(last)
    if _WAVERS.search(outside) or _SUPPOSES.search(outside) or not _CONCLUDES.search(last):
        return None
    found = list(_MATH.finditer(last))
    spans = [next(filter(None, span.groups())) for span in found]
    if len(spans) > 1 and all(
        _JOINED.fullmatch(last[a.end() : b.start()] + "$") for a, b in pairwise(found)
    ):
        return ", ".join(spans)
    if len(spans) > 1 or re.search(r"\d", outside):
        spans = [span for span in spans if not _NAMED.fullmatch(span.strip())]
    numbers = dict.fromkeys(found[0] for found in _NUMBER.finditer(outside))
    if spans:
        return spans[0] if len(spans) == 1 and not numbers else None
    after = last.rsplit("=", 1)[1] if "=" in last else ""
    if after and len(_NUMBER.findall(after)) == 1:
        return _REST.sub("", after, count=1).strip().rstrip(".!*").strip()
    return next(iter(numbers)).strip() if len(numbers) == 1 else None
