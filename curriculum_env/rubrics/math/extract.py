r"""The answer that a completion commits itself to.

Looked for in this order, after the thoughts and any repetition of the prompt have been taken away:

1. boxes. Several that hold the same count once. Side by side (`\boxed{2} and \boxed{3}`) they are
   the parts of one answer. Else the last one counts only when something between them takes the
   earlier one back ("wait", "mistake"), or when it alone is announced as final; without that,
   several different boxes are several answers, which is none;
2. `<answer>...</answer>`, under the same rule;
3. the last "answer is ...", "answer: ...", "#### ...";
4. the whole completion, when it is nothing but an expression or a few words;
5. the one expression of the last sentence, or the right side of its last equation.

A sentence that denies, asks or wavers gives no answer in 3 and 5.
"""

from __future__ import annotations

import re

from curriculum_env.rubrics.math.boxes import Box, boxes
from curriculum_env.rubrics.math.thoughts import spoken

_TAG = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"\b(?:final|answer|therefore|thus|hence|conclude|result|solution|so)\b[^\n]{0,120}$", re.I
)
_FINAL = re.compile(r"\b(?:final|answer)\b[^\n]{0,80}$", re.IGNORECASE)
_RETRACTED = re.compile(
    r"\b(?:wait|mistake|mistaken|correction|corrected|error|wrong|incorrect|oops|sorry|instead|"
    r"actually|re-?check|reconsider|not right|let me redo|try again)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"[\s$,;.&]*(?:\\(?:quad|qquad|text\{\s*(?:and|or)\s*\}|[,;! ()\[\]])|and|or|[\s$,;&])*[\s$,;&]*"
)
_CUE = re.compile(
    r"(?:\b(?:final\s+)?(?:answer|result)\b(?:\s+(?:to|of|for|here|we)\b[^\n.:=?]{0,60})?"
    r"\s*\**\s*(?:\bis\b\s*:?|\bequals\b|\bwill be\b|\bwould be\b|\bshould be\b|\bmust be\b|[:=])|####)\s*\**",
    re.IGNORECASE,
)
_WAVERS = re.compile(
    r"\b(?:not|isn't|isnt|is n't|aren't|wasn't|never|neither|nor|either|maybe|perhaps|possibly|might|"
    r"could be|may be|unsure|not sure|guess|guessing|unless|wrong|incorrect|cannot|can't|impossible to say|"
    r"don't know|do not know|unclear|one of|some say|if)\b|\?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])[)*\"']*\s+(?=[A-Z\\$*(])|\n+")
_TAIL = re.compile(
    r"(?:[.,;]\s+(?=[A-Za-z])|\s+(?:because|since|as|so|which|where|when|by|that|after|using|but|for)\b|\n|\s\().*",
    re.DOTALL,
)
_MATH = re.compile(r"(?<!\\)\$\$?(.+?)(?<!\\)\$\$?|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_PLAIN = re.compile(
    r"(?<![\w.\\])-?(?:\\?\$\s*)?(?:\d+(?:[.,]\d+)*(?:\s*/\s*\d+)?|\\d?frac\s*\{[^{}]*\}\{[^{}]*\}|\\sqrt\{[^{}]*\})(?:\s*(?:\\?%|°))?"
)
_CONCLUDES = re.compile(
    r"\b(?:so|thus|therefore|hence|total|altogether|answer|result|equals?|is|are|get|gives?|has|have|"
    r"left|makes?|needs?|costs?|was|were|will)\b|=|\\Rightarrow|\\implies|∴",
    re.IGNORECASE,
)
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,}(?![A-Za-z])")
_BARE_WORDS = 6


def extract_answer(completion: str, prompt: str | None = None) -> str | None:
    """The text of the answer that `completion` gives, as written; None when it gives none."""
    text = _own(spoken(completion), prompt).strip()
    if not text:
        return None
    found = boxes(text)
    if found:
        return _boxed(text, found)
    if re.search(r"\\(?:boxed|fbox)\s*\{", text):  # cut off within its box
        return None
    tagged = [Box(m[1].strip(), m.start(), m.end()) for m in _TAG.finditer(text)]
    if tagged:
        answer = _boxed(text, tagged)
        return answer and (_cued(answer) or answer)
    return _cued(text) or _bare(text) or _concluded(text)


def _own(text: str, prompt: str | None) -> str:
    """`text` without what it repeats of the prompt."""
    prompt = (prompt or "").strip()
    if not prompt:
        return text
    if " ".join(text.split()) in " ".join(prompt.split()):
        return text if len(text.strip()) < 20 and prompt != text.strip() else ""
    return text.replace(prompt, " ")


# --- boxes -----------------------------------------------------------------------------------
def _boxed(text: str, found: list[Box]) -> str | None:
    found = [box for box in found if box.inside]
    if not found:
        return None
    if len({_folded(box.inside) for box in found}) == 1:
        return found[-1].inside
    last = len(found) - 1
    while last > 0 and _beside(text, found[last - 1], found[last]):
        last -= 1
    group = found[last:]
    if last > 0 and not _takes_back(text, found[:last], group):
        return None
    return ", ".join(dict.fromkeys(box.inside for box in group))


def _beside(text: str, one: Box, two: Box) -> bool:
    return (
        _BESIDE.fullmatch(text[one.end : two.start][:200]) is not None and two.start - one.end < 200
    )


def _takes_back(text: str, earlier: list[Box], group: list[Box]) -> bool:
    """Whether the last boxes stand instead of the earlier ones rather than beside them."""
    between = text[earlier[-1].end : group[0].start]
    if _RETRACTED.search(between):
        return True
    starts = [0, *(box.end for box in earlier)]
    announced = [
        bool(_FINAL.search(text[start : box.start]))
        for start, box in zip(starts, [*earlier, group[0]], strict=True)
    ]
    return announced[-1] and not any(announced[:-1]) and "\n" in between


def _folded(text: str) -> str:
    return re.sub(r"\s|\\[,;! ]", "", text).replace("dfrac", "frac")


# --- prose -----------------------------------------------------------------------------------
def _cued(text: str) -> str | None:
    """What the last "answer is" announces, when the sentence stands by it."""
    cues = list(_CUE.finditer(text))
    if not cues:
        return None
    cue = cues[-1]
    rest = text[cue.end() :].lstrip(" \t*:=\n")
    line = rest.split("\n", 1)[0]
    before = _SENTENCE.split(text[: cue.start()])[-1]
    after = _first_sentence(line)
    if _WAVERS.search(before) or _WAVERS.search(_without_math(line)):
        return None
    return _spoken_value(after)


def _first_sentence(line: str) -> str:
    return re.split(r"(?<=[.!?])[)*\"']*\s+(?=[A-Z])", line, maxsplit=1)[0]


def _without_math(line: str) -> str:
    return _MATH.sub(" ", line)


def _spoken_value(sentence: str) -> str | None:
    """The value in what follows "is"."""
    sentence = sentence.strip().strip("*").strip()
    spans = [m for m in _MATH.finditer(sentence)]
    if spans and not sentence[: spans[0].start()].strip(" *:"):
        first = spans[0]
        after = sentence[first.end() :]
        joined = re.match(r"\s*(?:,|and|or|,\s*and|,\s*or)\s*(?=[$\\(])", after)
        if joined is None:
            unit = re.match(
                r"\s*([A-Za-z%°][A-Za-z/° ]{0,30}(?:\^\{?\d\}?)?)?\s*(?=[.,;*]|$)", after
            )
            inside = next(group for group in first.groups() if group)
            return f"{inside} {unit[1]}".strip() if unit and unit[1] else inside
    value = _TAIL.sub("", sentence, count=1).strip().rstrip(".,;*!").strip("*` ")
    return value or None


def _bare(text: str) -> str | None:
    """The whole text, when it holds no sentence."""
    if "\n" in text.strip() or len(text) > 400:
        return None
    words = _PROSE.findall(
        _without_math(re.sub(r"\\(?:text|mathrm|mbox|begin|end)\{[^{}]*\}", " ", text))
    )
    if text.rstrip().endswith("?") or (
        len(words) > 1 and _WAVERS.search(text) and re.search(r"\d", text)
    ):
        return None
    sentence = (
        len(words) > 2
        and re.search(r"\d|\$", text)
        and re.search(r"\b(?:is|are|so|the|we|get|it|has|have|of)\b", text, re.IGNORECASE)
    )
    return None if sentence or len(words) > _BARE_WORDS else text.rstrip(".!").strip("*` ")


def _concluded(text: str) -> str | None:
    """The value of the last sentence."""
    sentences = [part.strip() for part in _SENTENCE.split(text) if part.strip()]
    if not sentences:
        return None
    last = sentences[-1]
    if _WAVERS.search(_without_math(last)) or not _CONCLUDES.search(last):
        return None
    spans = [next(group for group in m.groups() if group) for m in _MATH.finditer(last)]
    outside = [m[0] for m in _PLAIN.finditer(_without_math(last))]
    if spans:
        return spans[-1] if len(spans) == 1 and not outside else None
    after = last.rsplit("=", 1)[1] if "=" in last else ""
    if after and len(_PLAIN.findall(after)) == 1:
        return _TAIL.sub("", after, count=1).strip().rstrip(".!*").strip()
    values = dict.fromkeys(outside)
    return next(iter(values)).strip() if len(values) == 1 else None
