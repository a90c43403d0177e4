"""A worker's side of a check: from a gold answer and a completion to a verdict."""

from __future__ import annotations

import re

from curriculum_env.rubrics.math.answer import Value, readings
from curriculum_env.rubrics.math.compare import contradicts, same_answer
from curriculum_env.rubrics.math.extract import extract_answer
from curriculum_env.rubrics.math.latex import tidy
from curriculum_env.rubrics.math.limits import MAX_LENGTH, too_costly
from curriculum_env.rubrics.math.numbers import exact
from curriculum_env.rubrics.math.scan import balanced
from curriculum_env.rubrics.math.symbolic import expression
from curriculum_env.rubrics.math.values import squeezed
from curriculum_env.rubrics.math.verdict import Verdict
from curriculum_env.rubrics.math.words import is_choice, spoken

_WORKED_OUT = re.compile(r"\\(?:int|sum|prod|lim)(?![A-Za-z])")
_SENTENCE_WORDS = 12
_WARMING = (
    (r"\frac{1}{2}", "0.5"), (r"\frac{\sqrt{3}}{2}", r"\frac{3}{2\sqrt{3}}"), ("x^{2}+3x+1", "3x+x^2+1"),
    (r"2\pi r^{2}", r"2r^2\pi"), (r"(x+1)(x-2)", "x^2-x-2"), (r"\sin x\cos x", r"\frac{\sin(2x)}{2}"),
    (r"\log_{2}{x}", r"\frac{\ln x}{\ln 2}"), (r"(-\infty, 2]", r"x \le 2"), (r"e^{2x}-1", r"(e^x)^2-1"),
    (r"\binom{n}{2}", r"\frac{n(n-1)}{2}"), (r"3+4i", "4i+3"), (r"y=2x+1", "2x-y+1=0"), ("|x|", "|-x|"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{bmatrix}1&2\\3&4\end{bmatrix}"), ("n!", "n(n-1)!"),
)  # fmt: skip


def judge(gold: str, completion: str, prompt: str | None) -> Verdict:
    """Whether `completion` answers `gold`."""
    answer = extract_answer(completion, prompt)
    if answer is None or not answer.strip():
        return Verdict("no answer")
    if len(answer) > MAX_LENGTH:
        return Verdict("too costly", answer[:MAX_LENGTH])
    ours, theirs = tidy(gold), tidy(answer)
    if squeezed(ours) == squeezed(theirs) and not _echoed(theirs, ours, prompt):
        return Verdict("correct", answer)
    if too_costly(theirs):
        return Verdict("too costly", answer)
    right = _worked_out(ours, theirs) and not _echoed(theirs, ours, prompt) and same_answer(gold, answer)
    return Verdict("correct" if right else "wrong", answer)


def _worked_out(gold: str, answer: str) -> bool:
    """Whether sums, integrals and limits in the answer stand in the gold one, too."""
    return set(_WORKED_OUT.findall(answer)) <= set(_WORKED_OUT.findall(gold))


def _echoed(answer: str, gold: str, prompt: str | None) -> bool:
    """Whether an expression was taken from the prompt instead of being worked out."""
    if prompt is None or squeezed(answer) == squeezed(gold):
        return False
    calculates = re.search(r"[-+*/^!]|\\(?:frac|sqrt|times|cdot|binom|log|ln|sin|cos|tan)", answer.strip("-"))
    return calculates is not None and exact(answer) is None and squeezed(answer) in squeezed(tidy(prompt))


def gold_problem(gold: str) -> str | None:
    """Why nothing could be compared with `gold`; None when all is well."""
    text = tidy(gold)
    if not text:
        return "is empty"
    if len(gold) > MAX_LENGTH or too_costly(text):
        return "is too large to compute with"
    if not balanced(text) and not re.fullmatch(r"\][^\[\]]*\[", text):
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
    return exact(bare) is not None or expression(bare) is not None or re.search(r"\\text|[:_]|\\mathbb|\\infty|\\emptyset", value) is not None


def warm_up() -> None:
    """Load the libraries, and teach the parser's caches the usual forms."""
    for gold, answer in _WARMING:
        judge(gold, answer, None)
