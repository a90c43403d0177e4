"""What runs in the process of its own: making tasks and scoring answers with reasoning-gym.

A task is named by family, level, seed and index, and made again wherever it is needed: what its
scorer has to know of it does not survive JSON in every family.
"""

from __future__ import annotations

import decimal
import json
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy

from reasoning_gym_curriculum.families import families, levels
from reasoning_gym_curriculum.screen import may_be_scored

SIZE = 500
"""Tasks of one of reasoning-gym's data sets: some make them all at the start."""
PARTS = 1_000
"""How many of these one seed has."""

Where: TypeAlias = tuple[str, int, int, int]
"""Family, level, seed and index of a task."""

RUN_CODE = frozenset({"codeio"})
"""Families whose tasks run programs, of which some depend on the clock, and whose data sets of all
levels share what the last one read."""

GOLD_IN_METADATA: dict[str, Callable[[Any], Any]] = {
    "graph_color": lambda metadata: json.dumps(metadata["possible_answer"]),
    "propositional_logic": lambda metadata: metadata["example_answer"],
}
"""A right answer of families whose own `answer` is None."""


class Made(NamedTuple):
    """A task as it is asked: `number` is its index, and `answer` a right one, or None where the
    family gives none."""

    number: int
    question: str
    answer: str | None


def catalogue() -> dict[str, dict[int, dict[str, float]]]:
    """The families in use, and of each the levels with the values of its knobs."""
    return {
        family: {level: setting.knobs for level, setting in levels(family).items()}
        for family in families()
    }


@lru_cache(maxsize=1_024)
def dataset(family: str, level: int, seed: int) -> Any:
    """reasoning-gym's data set at one level of a family."""
    from reasoning_gym.factory import create_dataset

    return create_dataset(family, seed=seed, size=SIZE, **levels(family)[level].arguments)


latest_dataset = lru_cache(maxsize=1)(dataset.__wrapped__)


def part(family: str, level: int, seed: int, index: int) -> tuple[Any, int]:
    """The data set that holds a task, and its place there. No two share a seed of reasoning-gym's,
    which adds the place to the data set's seed."""
    number, place = divmod(index, SIZE)
    holder = latest_dataset if family in RUN_CODE else dataset
    return holder(family, level, SIZE * (PARTS * seed + number)), place


def _entry(family: str, level: int, seed: int, index: int) -> dict[str, Any]:
    """A task as reasoning-gym makes it: the same whatever was made before, as some families also
    use what a process has but once."""
    random.seed(0)
    numpy.random.seed(0)
    decimal.setcontext(decimal.Context())
    holder, place = part(family, level, seed, index)
    made: dict[str, Any] = holder[place]
    return made


entry = lru_cache(maxsize=256)(_entry)


def make(family: str, level: int, seed: int, start: int, count: int) -> list[Made]:
    """The sound ones of `count` tasks from the index `start` on."""
    indices = range(start, start + count)
    made = (_made(family, level, seed, index) for index in indices)
    return [task for task in made if task is not None]


def _made(family: str, level: int, seed: int, index: int) -> Made | None:
    """The task, or None where reasoning-gym makes none, or one that cannot be made again, or one
    whose own answer does not earn 1."""
    where = (family, level, seed, index)
    try:
        made = entry(*where)
        again = _entry(*where) if family in RUN_CODE else made
    except Exception:  # what a hundred generators raise after so many attempts is not listed
        return None
    gold = made["answer"]
    if not isinstance(gold, str) and family in GOLD_IN_METADATA:
        gold = GOLD_IN_METADATA[family](made["metadata"])
    gold = gold if isinstance(gold, str) else None
    reproduced = (again["question"], again["answer"]) == (made["question"], made["answer"])
    if not reproduced or (gold is not None and score(*where, gold) < 1.0):
        return None
    return Made(index, str(made["question"]), gold)


def question(family: str, level: int, seed: int, index: int) -> str:
    """What the task asks."""
    return str(entry(family, level, seed, index)["question"])


def score(family: str, level: int, seed: int, index: int, answer: str) -> float:
    """What reasoning-gym's own scorer gives `answer`, in [0, 1]; 0 where it raises an error."""
    made = entry(family, level, seed, index)
    if answer != made["answer"] and not may_be_scored(family, answer):
        answer = ""
    holder, _ = part(family, level, seed, index)
    decimal.setcontext(decimal.Context())
    try:
        earned = float(holder.score_answer(answer, made))
    except Exception:  # nor is what a hundred scorers raise on any text
        return 0.0
    return min(max(earned, 0.0), 1.0)
