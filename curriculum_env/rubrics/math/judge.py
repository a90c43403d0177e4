"""A worker's side of a check: from a gold answer and a completion to a verdict."""

from __future__ import annotations

import re

from curriculum_env.rubrics.math.answer import Value, readings
from curriculum_env.rubrics.math.compare import contradicts, same_answer
from curriculum_env.rubrics.math.extract import extract_answer
from curriculum_env.rubrics.math.latex import tidy
from curriculum_env.rubrics.math.limits import MAX_LENGTH, too_costly
from curriculum_env.rubrics.math.numbers import exact
from curriculum_env.rubrics.math.operators import operators
from curriculum_env.rubrics.math.scan import balanced
from curriculum_env.rubrics.math.symbolic import expression
from curriculum_env.rubrics.math.values import squeezed
from curriculum_env.rubrics.math.verdict import Verdict
from curriculum_env.rubrics.math.words import is_choice, spoken

_SENTENCE_WORDS = 12


def judge(gold: str, completion: str, prompt: str | None) -> Verdict:
    """Whether `completion` answers `gold`."""
    answer = extract_answer(completion, prompt)
    if answer is None or not answer.strip():
        return Verdict("no answer")
    if len(gold) > MAX_LENGTH:
        return Verdict("wrong", answer)
    if len(answer) > MAX_LENGTH:
        return Verdict("too costly", answer[:MAX_LENGTH])
    ours, theirs = tidy(gold), tidy(answer)
    if squeezed(ours) == squeezed(theirs) and not _echoed(theirs, ours, prompt):
        return Verdict("correct", answer)
    if too_costly(theirs) or too_costly(ours):
        return Verdict("too costly", answer)
    right = (
        _worked_out(ours, theirs)
        and not _echoed(theirs, ours, prompt)
        and same_answer(gold, answer)
    )
    return Verdict("correct" if right else "wrong", answer)


def _worked_out(gold: str, answer: str) -> bool:
    """Whether sums, integrals and limits in the answer stand in the gold one, too."""
    return operators(answer) <= operators(gold)


def _echoed(answer: str, gold: str, prompt: str | None) -> bool:
    """Whether an expression was taken from the prompt instead of being worked out."""
    if prompt is None or squeezed(answer) == squeezed(gold):
        return False
    calculates = re.search(
        r"[-+*/^!]|\\(?:frac|sqrt|times|cdot|binom|log|ln|sin|cos|tan)", answer.strip("-")
    )
    return (
        calculates is not None
        and exact(answer) is None
        and squeezed(answer) in squeezed(tidy(prompt))
    )


def gold_problem(gold: str) -> str | None:
    """Why nothing could be compared with `gold`; None when all is well."""
    if len(gold) > MAX_LENGTH or too_costly(text := tidy(gold)):
        return "is too large to compute with"
    if not text:
        return "is empty"
    if not balanced(gold) and not re.fullmatch(r"\][^\[\]]*\[", text):
        return "has brackets without partner"
    if len(spoken(text) or "") and len(text.split()) > _SENTENCE_WORDS:
        return "is a whole sentence"
    node = readings(gold)[0]
    if contradicts(node):
        return "is an equation between different values"
    if isinstance(node, Value) and not _readable(text, node.text):
        return "cannot be read as mathematics, a choice or words"
    return None


def _readable(text: str, value: str) -> bool:
    from curriculum_env.rubrics.math.quantity import quantity

    if is_choice(text) or spoken(text) is not None or exact(value) is not None:
        return True
    bare = quantity(value).text
    return (
        exact(bare) is not None
        or expression(bare) is not None
        or re.search(r"\\text|[:_]|\\mathbb|\\infty|\\emptyset", value) is not None
    )
