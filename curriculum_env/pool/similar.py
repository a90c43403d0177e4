"""Whether two prompts are the same task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, TypeAlias

from curriculum_env.pool.profile import Profile, information

Kind: TypeAlias = Literal["exact", "near", "template", "13-gram", "short", "embedding"]

SAME_TEXT = 0.7
"""Jaccard similarity of word 5-grams from which two prompts are one text."""
SAME_TEMPLATE = 0.6


@dataclass(frozen=True, slots=True)
class Match:
    """An earlier task that a prompt matches.

    `uid` and `prompt` are that task's, `kind` says how they match, and `score` is the similarity
    in [0, 1]. `source` is the set the task belongs to.
    """

    uid: str
    kind: Kind
    score: float
    prompt: str = ""
    source: str = ""


def jaccard(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Shared over all; 1 for two empty sets."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def substituted(one: Counter[str], other: Counter[str]) -> bool:
    """Whether something of one stands in place of something else in the other: the mark of a
    changed number or operator. What only one of them has was added or left out, as paraphrases
    do."""
    return one.keys() != other.keys() and bool(one - other) and bool(other - one)


def same_task(
    one: Profile,
    other: Profile,
    answers: AbstractSet[str] = frozenset(),
    other_answers: AbstractSet[str] = frozenset(),
) -> float:
    """The similarity of two prompts that are the same task, 0 where they are not.

    Prompts whose numbers or operators were changed are different tasks, and so are those whose
    known answers (`answer_keys`) have none in common. Of the others, those are the same that share
    their word 5-grams, or enough of their content words (`needed`).
    """
    if one.tokens == other.tokens:
        return 1.0
    shared = answers & other_answers
    if answers and other_answers and not shared:
        return 0.0
    if substituted(one.numbers, other.numbers) or substituted(one.operators, other.operators):
        return 0.0
    text = jaccard(one.grams(), other.grams())
    content = jaccard(one.content, other.content)
    if text >= SAME_TEXT or content >= needed(one, other, shared):
        return max(text, content)
    return 0.0


def needed(one: Profile, other: Profile, shared_answers: AbstractSet[str]) -> float:
    """The share of content words that two prompts must have in common to be one task.

    Two tasks with the same numbers and the same answer are hardly ever different tasks: the more
    the numbers and the answer say (`information`, in bits), the fewer words need to agree.
    """
    if min(len(one.content), len(other.content)) < WORDY:
        return FORMULA if _same_formula(one.symbols, other.symbols) else NEVER
    if one.key != other.key:
        return 0.8
    said = {*one.key.split(), *(key for key in shared_answers if key[0].isdigit())}
    bits = sum(map(information, said)) + (2.0 if shared_answers else 0.0)
    return max(0.7 - 0.03 * bits, LEAST)


def _same_formula(one: Counter[str], other: Counter[str]) -> bool:
    """Whether two tasks have all symbols in common, but for one."""
    return bool(one & other) and ((one - other) + (other - one)).total() <= 1


LEAST = 0.15
WORDY = 3
FORMULA = 0.3
"""For tasks of fewer than `WORDY` content words: the same formula, and some words in common."""
NEVER = 2.0


def same_template(one: Profile, other: Profile) -> float:
    """The similarity of two prompts that differ in their numbers alone, 0 for others."""
    if len(one.content) < 4 or len(other.content) < 4:
        return 0.0
    score = jaccard(one.masked(), other.masked())
    return score if score >= SAME_TEMPLATE else 0.0
