"""Problems that talk to whoever grades them, or give their own answer away."""

from __future__ import annotations

import re

_ORDERS = re.compile(
    r"""(?ix)
    \b(?:ignore|disregard|forget|override)\b .{0,40} \b(?:instruction|prompt|rule|above|previous)
    | \b(?:system|assistant|developer|user)\s*(?:prompt|message|:)
    | \b(?:json|verdict|teacher|grader|grading|annotat(?:e|or|ion))\b
    | \b(?:reply|respond|output|return|print|say|write)\s+(?:only\s+|just\s+|exactly\s+)?
      (?:with\b|that\s+it\b|["'{]|solvable|clean|true|false)
    | ["']?\b(?:solvable|clean|difficulty)\b["']?\s*[:=]
    | \b(?:mark|label|grade|rate|score)\s+(?:it|this)\b
    | <\|?\s*(?:/\s*)?(?:im_start|im_end|system|assistant|user|end_of_turn|start_of_turn)
    """,
    re.DOTALL,
)
_GIVEN = re.compile(
    r"(?i)\b(?:(?:correct|final|right)\s+)?(?:answer|solution|result)\s*(?:is|=|:)\s*(?:\$\s*)?"
    r"(?:\\boxed\{)?[-+]?[0-9]"
)


def steers(problem: str) -> bool:
    """Whether a problem gives orders to a grader or states an answer.

    It is a coarse net for what a policy may come to write when that pays; a task about JSON or
    grading is caught in it, too.
    """
    return bool(_ORDERS.search(problem) or _GIVEN.search(problem))
