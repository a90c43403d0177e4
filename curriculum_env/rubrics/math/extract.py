r"""The answer that a completion commits itself to.

Looked for in this order, after the thoughts and any repetition of the prompt have been taken away:

1. boxes. Several that hold the same count once. Side by side (`\boxed{2} and \boxed{3}`) they are
   the parts of one answer. Else the last one counts only when something between them takes the
   earlier one back ("wait", "mistake"), or when it alone is announced as final; without that,
   several different boxes are several answers, which is none;
2. `<answer>...</answer>`, under the same rule;
3. the last "answer is ...", "answer: ...", "#### ...", again unless an earlier one differs;
4. the whole completion, when it is nothing but an expression or a few words;
5. the one expression of the last sentence, or the right side of its last equation.

A sentence that denies, asks or wavers gives no answer in 3 and 5, nor one that breaks off in 5;
what is denied, added to or taken back beside a box or after an announcement is none either.
"""

from __future__ import annotations

import re

from curriculum_env.rubrics.math.boxes import Box, boxes
from curriculum_env.rubrics.math.prose import announced, bare, concluded
from curriculum_env.rubrics.math.settle import settled
from curriculum_env.rubrics.math.thoughts import spoken
from curriculum_env.rubrics.math.upheld import TAG, upheld

_EMPHASIS = re.compile(r"\*\*([^*\n]+)\*\*(?!\*)")
_DISPLAYED = re.compile(r"\$\$[^$]{1,500}\$\$|\\\[.{1,500}?\\\]", re.DOTALL)
_CUT_OFF = re.compile(r"\\(?:boxed|fbox)\s*\{")
_GAPS = re.compile(r"(?<!\s)\s{9,}")
_UNFINISHED = re.compile(
    r"\b(?:the|an?|of|to|and|by|with|for|from|which|that|into|than|because)\s*\Z", re.IGNORECASE
)
_SHORT = 20


def extract_answer(completion: str, prompt: str | None = None) -> str | None:
    """The text of the answer that `completion` gives, as written; None when it gives none."""
    text = _narrowed(spoken(completion))
    text = _EMPHASIS.sub(r"\1", _own(text, _narrowed(prompt or ""))).strip()
    text = _DISPLAYED.sub(lambda found: " ".join(found[0].split()), text)
    if found := boxes(text):
        return _upheld(text, found)
    if not text or _CUT_OFF.search(text):
        return None
    if tagged := [Box(tag[1].strip(), tag.start(), tag.end()) for tag in TAG.finditer(text)]:
        answer = _upheld(text, tagged)
        return answer and _inner(answer)
    if (said := announced(text)) is not None:
        return said or None
    return bare(text) or (None if _UNFINISHED.search(text) else concluded(text))


def _narrowed(text: str) -> str:
    """`text` without long gaps."""
    return _GAPS.sub(lambda gap: "\n\n" if "\n" in gap[0] else " ", text)


def _upheld(text: str, found: list[Box]) -> str | None:
    """What the boxes say, when the text around them stands by it."""
    answer = settled(text, found)
    return answer and upheld(answer, text[: found[-1].start], text[found[-1].end :])


def _inner(answer: str) -> str | None:
    """A tag's answer, also one that is a sentence of its own."""
    said = announced(answer)
    return answer if said is None else said or None


def _own(text: str, prompt: str) -> str:
    """`text` without what it repeats of the prompt."""
    prompt = prompt.strip()
    if not prompt:
        return text
    said, asked = " ".join(text.split()), " ".join(prompt.split())
    if said in asked:
        return text if len(said) < _SHORT and said != asked else ""
    return text.replace(prompt, " ")
