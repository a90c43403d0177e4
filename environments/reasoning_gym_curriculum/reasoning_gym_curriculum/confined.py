"""What runs in the process of its own: making tasks and scoring answers with reasoning-gym.

A task is named by family, level, seed and index, and made again wherever it is needed: what its
scorer has to know of it does not survive JSON in every family.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NamedTuple

from reasoning_gym_curriculum.families import families, levels
from reasoning_gym_curriculum.screen import may_be_scored

SIZE = 500
"""Tasks of one of reasoning-gym's data sets: some make them all at the start."""
PARTS = 1_000
"""How many of these one seed has."""

GOLD_IN_METADATA = {
    "graph_color": lambda metadata: json.dumps(metadata["possible_answer"]),
    "propositional_logic": lambda metadata: metadata["example_answer"],
}
"""A right answer of families whose own `answer` is None."""


class Made(NamedTuple):
    """A task as it is asked: `answer` is a right one, or None where the family gives none."""

    index: int
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


def part(family: str, level: int, seed: int, index: int) -> tuple[Any, int]:
    """The data set that holds a task, and its place there. No two share a seed of reasoning-gym's,
    which adds the place to the data set's seed."""
    number, place = divmod(index, SIZE)
    return dataset(family, level, SIZE * (PARTS * seed + number)), place


@lru_cache(maxsize=256)
def entry(family: str, level: int, seed: int, index: int) -> dict[str, Any]:
    """A task as reasoning-gym made it."""
    holder, place = part(family, level, seed, index)
    made: dict[str, Any] = holder[place]
    return made


def make(family: str, level: int, seed: int, start: int, count: int) -> list[Made]:
    """The sound ones of `count` tasks from the index `start` on."""
    indices = range(start, start + count)
    made = (_made(family, level, seed, index) for index in indices)
    return [task for task in made if task is not None]


def _made(family: str, level: int, seed: int, index: int) -> Made | None:
    """The task, or None where reasoning-gym makes none, or one whose own answer does not earn 1."""
    try:
        made = entry(family, level, seed, index)
    except Exception:  # what a hundred generators raise after so many attempts is not listed
        return None
    gold = made["answer"]
    if not isinstance(gold, str) and family in GOLD_IN_METADATA:
        gold = GOLD_IN_METADATA[family](made["metadata"])
    if not isinstance(gold, str):
        return Made(index, str(made["question"]), None)
    sound = score(family, level, seed, index, gold) == 1.0
    return Made(index, str(made["question"]), gold) if sound else None


def score(family: str, level: int, seed: int, index: int, answer: str) -> float:
    """What reasoning-gym's own scorer gives `answer`, in [0, 1]; 0 where it raises an error."""
    made = entry(family, level, seed, index)
    if answer != made["answer"] and not may_be_scored(family, answer):
        answer = ""
    holder, _ = part(family, level, seed, index)
    try:
        earned = float(holder.score_answer(answer, made))
    except Exception:  # nor is what a hundred scorers raise on any text
        return 0.0
    return min(max(earned, 0.0), 1.0)
