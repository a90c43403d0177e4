"""The problems: a train pool of any size and a fixed held-out set that never meets it.

Which side a problem lies on is decided by a hash of its canonical expression, so `5 + 3` and
`3 + 5` share a side, and no seed, size or choice of levels moves a problem across. A level's
problem space is finite (level 1 has 300 problems): a level that is used up leaves its share of
the pool to the others.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from arithmetic_curriculum.expression import Expression, canonical, evaluate, write
from arithmetic_curriculum.levels import FAMILIES, LEVELS, Family
from curriculum_env import Row, content_uid

HELD_OUT_ONE_IN = 5
HELD_OUT_PER_LEVEL = 32

T = TypeVar("T")


def held_out(expression: Expression) -> bool:
    """Whether the problem is kept for evaluation: one in five, by a hash of its content."""
    digest = hashlib.sha256(canonical(expression).encode()).digest()
    return int.from_bytes(digest[:8], "big") % HELD_OUT_ONE_IN == 0


def train_rows(size: int, seed: int = 0, levels: Sequence[int] = LEVELS) -> Iterator[Row]:
    """At most `size` distinct training problems, the levels taking turns.

    Raises:
        ValueError: `levels` is empty or names a level that does not exist.
    """
    turns = [_level(level, f"train {seed}", train=True) for level in _known(levels)]
    return islice(in_turn(turns), size)


def heldout_rows(levels: Sequence[int] = LEVELS) -> Iterator[Row]:
    """The evaluation problems: the same 32 of each level, whatever the training pool.

    Raises:
        ValueError: `levels` is empty or names a level that does not exist.
    """
    turns = [_level(level, "held out", train=False) for level in _known(levels)]
    return in_turn([islice(turn, HELD_OUT_PER_LEVEL) for turn in turns])


def _known(levels: Sequence[int]) -> list[int]:
    if not levels or not set(levels) <= set(LEVELS):
        raise ValueError(
            f"levels is {list(levels)}; expected one or more of {list(LEVELS)}; "
            "leave it out to use them all."
        )
    return sorted(set(levels))


def _level(level: int, salt: str, *, train: bool) -> Iterator[Row]:
    families = [family for family in FAMILIES if family.level == level]
    return in_turn([_family(family, salt, train=train) for family in families])


def _family(family: Family, salt: str, *, train: bool) -> Iterator[Row]:
    rng = random.Random(f"{salt} {family.level} {family.operation} {family.digits}")
    for number in shuffled(family.size, rng):
        expression = family.problem(number)
        if held_out(expression) != train:
            yield row_of(family, expression)


def row_of(family: Family, expression: Expression) -> Row:
    """The row of a problem of that family."""
    data = {"expression": write(expression), "answer": evaluate(expression)}
    return Row(
        uid=content_uid(data),
        data=data,
        domain=family.operation,
        level=str(family.level),
        features=family.features,
    )


def shuffled(size: int, rng: random.Random) -> Iterator[int]:
    """0 .. size - 1 in random order: a Fisher-Yates shuffle that keeps only what it moved."""
    moved: dict[int, int] = {}
    for place in range(size):
        pick = rng.randrange(place, size)
        yield moved.get(pick, pick)
        moved[pick] = moved.pop(place, place)


def in_turn(iterables: Iterable[Iterable[T]]) -> Iterator[T]:
    """One item of each in turn; those that run out drop out."""
    waiting = [iter(iterable) for iterable in iterables]
    while waiting:
        going = []
        for iterator in waiting:
            for item in islice(iterator, 1):
                yield item
                going.append(iterator)
        waiting = going
