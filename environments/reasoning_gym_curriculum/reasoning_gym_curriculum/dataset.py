"""The tasks: a train pool of any size and a fixed held-out set that never meets it.

Which side a task lies on is decided by a hash of its question, so no seed, size or choice of
families moves one across. The families take turns, and within a family its levels. A level with
no more questions leaves its share to the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, islice

from more_itertools import interleave_longest

from curriculum_env import Row, content_uid
from reasoning_gym_curriculum import child, stored
from reasoning_gym_curriculum.confined import Made
from reasoning_gym_curriculum.families import LEVELS

HELD_OUT_ONE_IN = 4
HELD_OUT_PER_LEVEL = 1
CHUNK = 5
FRUITLESS = 6
"""After so many chunks without a new task, a level counts as used up."""


def held_out(question: str) -> bool:
    """Whether the task is kept for evaluation: one in four, by a hash of its question."""
    digest = hashlib.sha256(question.encode()).digest()
    return int.from_bytes(digest[:8], "big") % HELD_OUT_ONE_IN == 0


@lru_cache(maxsize=2)
def train_rows(
    size: int, seed: int = 0, families: tuple[str, ...] = (), levels: tuple[int, ...] = LEVELS
) -> list[Row]:
    """At most `size` distinct training tasks; no `families` means all of them.

    Raises:
        ValueError: a family or a level is unknown.
    """
    turns = [
        _family(family, found, seed, train=True)
        for family, found in _known(families, levels).items()
    ]
    return list(islice(interleave_longest(*(interleave_longest(*turn) for turn in turns)), size))


@lru_cache(maxsize=2)
def heldout_rows(families: tuple[str, ...] = (), levels: tuple[int, ...] = LEVELS) -> list[Row]:
    """The evaluation tasks: the same one of each level of a family, whatever the training pool.

    Raises:
        ValueError: a family or a level is unknown.
    """
    return [
        row
        for family, found in _known(families, levels).items()
        for level in _family(family, found, 0, train=False)
        for row in islice(level, HELD_OUT_PER_LEVEL)
    ]


def _known(families: Sequence[str], levels: Sequence[int]) -> dict[str, list[int]]:
    catalogue = child.catalogue()
    if unknown := set(families) - catalogue.keys():
        raise ValueError(
            f"families names {', '.join(sorted(unknown))}; expected some of "
            f"{', '.join(catalogue)}; leave it out to use them all."
        )
    return {
        family: [level for level in sorted(catalogue[family]) if level in levels]
        for family in catalogue
        if not families or family in families
    }


def _family(family: str, levels: Sequence[int], seed: int, *, train: bool) -> list[Iterator[Row]]:
    """Each level's tasks; a question that several levels have is a task of one of them."""
    seen = set[str]()
    return [_level(family, level, seed, seen, train=train) for level in levels]


def _level(family: str, level: int, seed: int, seen: set[str], *, train: bool) -> Iterator[Row]:
    """The tasks of one level on one side that are not among `seen`, until there is no new one."""
    fruitless = 0
    for start in count(0, CHUNK):
        before = len(seen)
        for task in stored.make(family, level, seed, start, CHUNK):
            if task.question not in seen and held_out(task.question) != train:
                seen.add(task.question)
                yield row_of(family, level, seed, task)
        fruitless = 0 if len(seen) > before else fruitless + 1
        if fruitless == FRUITLESS:
            return


def row_of(family: str, level: int, seed: int, task: Made) -> Row:
    """The row of a task."""
    data = {
        "question": task.question,
        "answer": task.answer,
        "family": family,
        "level": level,
        "seed": seed,
        "index": task.number,
    }
    return Row(
        uid=content_uid({"family": family, "question": task.question}),
        data=data,
        domain=family,
        level=str(level),
        features={"family": family, "level": level, **child.catalogue()[family][level]},
    )
