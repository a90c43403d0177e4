"""What travels between proposer, filters and teacher. All are frozen; all survive JSON."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["numbers", "paraphrase", "harder", "easier"]
"""How a variant differs from its parent: in its numbers alone, in its words alone, in difficulty.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)

LEAST_FACTOR, GREATEST_FACTOR = 0.75, 1.33
"""HeaPA's clamp of the relative difficulty."""

LONGEST_ANSWER = 1000
"""Letters: more are an essay."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")

Reason: TypeAlias = Literal[
    "cut_off",
    "no_problem",
    "tags",
    "too_short",
    "too_long",
    "language",
    "steering",
    "example",
    "same_as_parent",
    "duplicate",
    "contaminated",
    "unclean",
    "unsolvable",
    "no_answer",
    "bad_reply",
    "votes_differ",
    "answer_kept",
    "answer_changed",
    "no_task",
    "failed",
    "gold_refused",
    "refused",
    "orphan",
    "gave_up",
]
"""Why a variant was discarded; `REASONS` says what each means."""

REASONS: dict[Reason, str] = {
    "cut_off": "the policy's reply ended at its token limit",
    "no_problem": "the policy's reply holds no tagged problem",
    "tags": "the policy's reply holds several problems, or tags inside one",
    "too_short": "the problem has hardly any words",
    "too_long": "the problem is much longer than its parent",
    "language": "the problem is written in another language",
    "steering": "the problem gives orders to a grader, or gives its answer away",
    "example": "the problem is the example of the prompt",
    "same_as_parent": "the problem is its parent",
    "duplicate": "the pool has the same task",
    "contaminated": "the problem gives an evaluation task away",
    "unclean": "the teacher finds the problem ill-posed",
    "unsolvable": "the teacher finds no solution",
    "no_answer": "the teacher gave no answer that can be read",
    "bad_reply": "the teacher's reply is no verdict",
    "votes_differ": "too few of the teacher's votes agree",
    "answer_kept": "other numbers, the same answer, where that cannot be",
    "answer_changed": "the same task in other words, another answer",
    "no_task": "the environment makes no task of it",
    "failed": "the environment's own code fails on it",
    "gold_refused": "the environment's own rubric does not accept the answer",
    "refused": "the service will not take the request",
    "orphan": "the parent is not in the pool any more",
    "gave_up": "the service failed too often",
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A problem read from a reply, and its difficulty `factor` relative to its parent's."""

    problem: str
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A variant that the policy wrote, with what it took.

    `parent` is the uid of the parent's row; `factor` lies in [0.75, 1.33]. Tokens are as the
    endpoint counts them, 0 where it does not.
    """

    parent: str
    kind: Kind
    problem: str
    factor: float = 1.0
    model: str = ""
    prompt_version: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a teacher says of a problem.

    `clean`: it is well-posed. `answer` is text, None where there is none. `difficulty` is the
    teacher's own estimate in [0, 1], None where it gave none. `agreement` in [0, 1] is the share of
    `votes` that said so. Tokens are those of all votes.
    """

    answer: str | None
    solvable: bool = True
    clean: bool = True
    difficulty: float | None = None
    model: str = ""
    votes: int = 1
    agreement: float = 1.0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Discard:
    """Why a variant goes no further, and what it took; `detail` is for people to read, may quote
    what a model wrote, and is cut to 200 letters that every store holds."""

    reason: Reason
    detail: str = ""
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __post_init__(self) -> None:
        text = "".join(letter if storable(letter) else "?" for letter in self.detail[:200])
        object.__setattr__(self, "detail", text)


def storable(text: str) -> bool:
    """Whether every store can hold the text: no NUL, no half of a surrogate pair."""
    return not _UNSTORABLE.search(text)


def clamped(factor: float, kind: Kind = "numbers") -> float:
    """`factor` within [0.75, 1.33]; of `harder` at least 1, of `easier` at most 1. 1 for what is
    no finite number above 0."""
    if not (math.isfinite(factor) and factor > 0):
        return 1.0
    low = 1.0 if kind == "harder" else LEAST_FACTOR
    high = 1.0 if kind == "easier" else GREATEST_FACTOR
    return min(max(factor, low), high)
