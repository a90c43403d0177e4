"""Answers in no box: announced by a phrase, standing alone, or ending the last sentence."""

from __future__ import annotations

import re
from itertools import pairwise

from curriculum_env.rubrics.math.settle import RETRACTED, folded, withdrawn
from curriculum_env.rubrics.math.words import COUNTS

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
    rf"\bor\s+(?:{'|'.join(COUNTS)})\b|"
    r"n['’]t\b|\b(?:not|isnt|never|neither|nor|either|maybe|perhaps|possibly|might|"
    r"could be|may be|unsure|guess|guessing|unless|wrong|incorrect|cannot|impossible to say|"
    r"unclear|one of|some say|if)\b|\?",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\b(?:let|let's|suppose|assume|assuming|consider|try)\b", re.IGNORECASE)
_THUS = re.compile(r"(?:so|thus|hence|therefore|ergo|then|finally)\b[,:]?\s+(?=[^A-Za-z])", re.I)
_SENTENCE = re.compile(r"(?<=[.!?])[)*\"']*\s+(?=[A-Z\\$*(])|\n+")
_NEXT = re.compile(r"(?<=[.!?])[)*\"']*\s+(?=[A-Z])")
_EXPLAINS = r"(?:because|since|as|so|which|where|when|by|that|after|using|but|for)\b"
_REST = re.compile(rf"[.;]\s+(?=[A-Za-z])|,?\s+{_EXPLAINS}|\n")
_ASIDE = re.compile(r"(?<=[^\s,;/+*=-])(?<!\bor)(?<!\band)\s+\((?P<inside>[^()]*)\)")
_INSIDE = re.compile(r"\s*\((?P<inside>[^()]*)\)")
_SAME_AGAIN = re.compile(
    r"\s*(?:or(?:\s+equivalently)?|equivalently|i\.e\.|that is|=)[,:]?\s+", re.I
)
_AGAIN = re.compile(
    r"[,;]?\s*(?:or\s+equivalently|equivalently|i\.e\.|that is)[,:]?\s*(.{1,60}?)\.?$",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\s*(?:[,;]\s*[$\\\d(]|[,;.]?\s*(?:or|and|but|alternatively|also|versus|vs|yet)\b)",
    re.IGNORECASE,
)
_AS_WELL = re.compile(
    r"\b(?:otherwise|alternatively|also possible|as well|versus|vs|or so|instead|it could|else)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"\b(?:or|and|nor|versus|vs)$", re.IGNORECASE)
_POLITE = re.compile(r"\blet me know if\b.*|\bif you (?:have|need|would like)\b.*", re.IGNORECASE)
_HOLDS_VALUE = re.compile(r"\d|\\[a-z]|(?<![A-Za-z'])[A-HJ-Zb-hj-z](?![A-Za-z'])")
_MATH = re.compile(
    r"(?<!\\)\$\$?(.+?)(?<!\\)\$\$?|(?<!\\)\\\((.+?)\\\)|(?<!\\)\\\[(.+?)\\\]", re.DOTALL
)
_PAUSE = re.compile(rf"\s*(?:$|[.,;:!*(\n]|{_EXPLAINS})", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:,|and|or|,\s*and|,\s*or)\s*[$\\(]")
_UNIT = re.compile(
    r"\s*([A-Za-z%°][A-Za-z/° ]{0,30}?(?:\^\{?\d\}?)?)?"
    rf"\s*(?=[.,;*]|$|\s\(|\s{_EXPLAINS})"
)
_NUMBER = re.compile(
    r"(?<![\w.\\])-?(?:\\?\$\s*)?(?:\d+(?:[.,]\d+)*(?:\s*/\s*\d+)?|\\[dt]?frac\s*\{[^{}]*\}\{[^{}]*\}|"
    r"\\sqrt\{[^{}]*\})(?:\s*(?:\\?%|°))?"
)
_TUPLE = re.compile(r"[(\[]\s*(?=[^()\[\]]*\d)[^()\[\],;]{1,40}(?:[,;][^()\[\],;]{1,40}){1,9}[)\]]")
_CONCLUDES = re.compile(
    r"(?<!\\)\b(?:so|thus|therefore|hence|total|altogether|answer|result|equals?|is|are|get|gives?|has|"
    r"have|left|makes?|needs?|costs?|was|were|will|sold|there)\b|=|\\Rightarrow|\\implies|∴",
    re.IGNORECASE,
)
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}(?![A-Za-z])")
_GROUPS = re.compile(r"\\(?:text|mathrm|mbox|begin|end)\s*\{[^{}]*\}")
_NAMED = re.compile(r"\\?[A-Za-z]+(?:_\{?\w+\}?)?(?:\([A-Za-z]\))?")
_OPTION = re.compile(r"\(?[A-J]\)?\.?")
_ALONE = re.compile(r"[\s$(*]*(?P<value>[A-J]|[-−]?\d[\d.,/]*)[\s$).*]*")
_CUES = 50  # announcements that are looked at, from the end
_LINE = 2_000  # characters of a sentence around one
_GAP = " \t*:=\n"
_BARE_WORDS = 6
_BARE_LENGTH = 1_500


# --- announced -------------------------------------------------------------------------------
def announced(text: str) -> str | None:
    """What the last "answer is" announces; "" when an earlier one announced something else."""
    cues = list(_CUE.finditer(text))[-_CUES:]
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
    return value if _left_alone(value, text[cues[-1].end() :]) else ""


def _left_alone(value: str, after: str) -> bool:
    """Whether nothing that follows its sentence takes the value back, or sets another beside it."""
    line, _, below = after.lstrip(_GAP).partition("\n")
    rest = " ".join([*_NEXT.split(line, maxsplit=1)[1:], below])
    other = _ALONE.fullmatch(rest)
    return not withdrawn(rest) and (other is None or folded(other["value"]) in folded(value))


def _is_final(cue: re.Match[str]) -> bool:
    return "final" in cue[0].lower()


def _after(text: str, cue: re.Match[str]) -> str | None:
    """The value after a cue, when its sentence stands by it."""
    line = text[cue.end() : cue.end() + 2 * _LINE].lstrip(_GAP).split("\n", 1)[0][:_LINE]
    before = _SENTENCE.split(text[max(0, cue.start() - _LINE) : cue.start()])[-1]
    if _WAVERS.search(before) or _WAVERS.search(_POLITE.sub("", _without_math(line))):
        return None
    return _value(_NEXT.split(line, maxsplit=1)[0])


def _without_math(line: str) -> str:
    return _MATH.sub(" ", line)


def _value(sentence: str) -> str | None:
    """The value in what follows "is": one formula and its unit, or the words up to a pause.

    "" where another value stands beside it.
    """
    sentence = sentence.strip().strip("*").strip()
    head, rest = _formula(sentence) or _words(sentence)
    if aside := _INSIDE.match(rest):
        head, rest = head + _equated(head, aside["inside"]), rest[aside.end() :]
    if again := _AGAIN.match(rest):
        head, rest = f"{head} = {again[1]}", rest[again.end() :]
    if _DANGLING.search(head) or (
        _HOLDS_VALUE.search(rest) and (_ANOTHER.match(rest) or _AS_WELL.search(rest))
    ):
        return ""
    return head or None


def _equated(head: str, inside: str) -> str:
    """`= inside` for a value in brackets beside another; nothing for words and texts of options."""
    inside = _SAME_AGAIN.sub("", inside, count=1)
    option = _OPTION.fullmatch(head) and not re.search(r"\b[A-J]\b", inside)
    if option or _PROSE.match(inside) or not _HOLDS_VALUE.search(inside):
        return ""
    return f" = {inside}"


def _formula(sentence: str) -> tuple[str, str] | None:
    """A formula at the beginning with its unit, and what follows after a pause."""
    first = _MATH.match(sentence)
    if first is None or _JOINED.match(sentence, first.end()):
        return None
    unit = _UNIT.match(sentence, first.end())
    end = unit.end() if unit else first.end()
    if not _PAUSE.match(sentence, end):
        return None
    return " ".join(filter(None, [*first.groups(), unit and unit[1]])), sentence[end:]


def _words(sentence: str) -> tuple[str, str]:
    """The words up to a pause, and what follows."""
    cuts = [found.start() for cut in (_REST, _ASIDE, _AGAIN) if (found := cut.search(sentence))]
    end = min(cuts, default=len(sentence))
    return sentence[:end].strip().rstrip(".,;*").strip("*` "), sentence[end:]


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
    if tuples := list(_TUPLE.finditer(outside)):
        return _joined(outside, tuples) if not spans else None
    numbers = dict.fromkeys(found[0] for found in _NUMBER.finditer(outside))
    if spans:
        return spans[0] if len(spans) == 1 and not numbers else None
    after = last.rsplit("=", 1)[1] if "=" in last else ""
    if after and len(_NUMBER.findall(after)) == 1:
        return _REST.sub("", after, count=1).strip().rstrip(".!*").strip()
    return next(iter(numbers)).strip() if len(numbers) == 1 else None


def _joined(text: str, tuples: list[re.Match[str]]) -> str | None:
    """Tuples side by side, and nothing else with a number."""
    if re.search(r"\d", _TUPLE.sub(" ", text)):
        return None
    gaps = [text[a.end() : b.start()] for a, b in pairwise(tuples)]
    beside = all(re.fullmatch(r"\s*(?:,|and|or|,\s*and|,\s*or)\s*", gap) for gap in gaps)
    return ", ".join(found[0] for found in tuples) if beside else None
