"""What a row has in common with others, as numbered effects on its difficulty.

Names are hashed into slots, so nothing depends on the order or the size of the pool.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from curriculum_env.types import Row

Slots: TypeAlias = "NDArray[np.uint16]"
Profile: TypeAlias = tuple[str, str, tuple[str, ...]]


class Kind(IntEnum):
    """The kinds of effects; those of one kind share a prior. Slot 0 is of the kind NONE, and
    stands where a row has fewer effects than others."""

    NONE = 0
    EVERYTHING = 1
    DOMAIN = 2
    BUCKET = 3
    FEATURE = 4
    CELL = 5
    WORD = 6


PER_KIND = 8192
SLOTS = len(Kind) * PER_KIND
EVERYTHING = Kind.EVERYTHING * PER_KIND
FEATURES, WORDS = 16, 24
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")


def slot(kind: Kind, name: str) -> int:
    """The number of the effect `name`; two names share one with chance 1/8192."""
    return kind * PER_KIND + crc32(name.encode()) % PER_KIND


def encode(rows: Sequence[Row], text: str | None = None) -> Slots:
    """The effects of each row, shape (most effects of a row, rows), padded with 0: of its domain,
    its bucket, each of its first 16 features by name, and all of these together (its cell); with
    `text`, also of the words of that entry of its data. The effect of everything is left out."""
    profiles: dict[Profile, int] = {}
    profile_N = np.fromiter(
        (profiles.setdefault(_profile(row), len(profiles)) for row in rows), np.int64, len(rows)
    )
    slots_N = _padded([_slots(*profile) for profile in profiles])[:, profile_N]
    if text is None:
        return slots_N
    return np.concatenate([slots_N, _padded([words(row.data.get(text)) for row in rows])])


def stack(first_N: Slots, second_N: Slots) -> Slots:
    """The effects of the rows of the first, then of those of the second."""
    width = max(len(first_N), len(second_N))
    padded = [np.pad(part, ((0, width - len(part)), (0, 0))) for part in (first_N, second_N)]
    return np.concatenate(padded, axis=1)


def words(text: object) -> list[int]:
    """The slots of up to 24 distinct words and word pairs of `text`, numbers by their length.

    Of more, those with the smallest hashes: texts alike keep the same ones (Broder 1997).
    """
    tokens = _TOKEN.findall(text.lower()) if isinstance(text, str) else []
    tokens = [f"#{len(token)}" if token.isdecimal() else token for token in tokens]
    pairs = (f"{first} {second}" for first, second in pairwise(tokens))
    return sorted({slot(Kind.WORD, name) for name in (*tokens, *pairs)})[:WORDS]


def magnitude(value: float) -> str:
    """The class of a finite number: itself where it is an integer up to 16, else its tenth below
    1, and above it the quarter of its octave."""
    if value.is_integer() and abs(value) <= 16:
        return f"{value:.0f}"
    if abs(value) < 1.0:
        return f"{math.floor(value * 10.0)}/10"
    return f"{math.copysign(1.0, value):.0f}*2^{math.floor(4.0 * math.log2(abs(value)))}/4"


def _profile(row: Row) -> Profile:
    return row.domain, row.level, tuple(_classes(row.features)) if row.features else ()


def _classes(features: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(features)[:FEATURES]:
        value = features[name]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            value = magnitude(float(value))
        yield f"{name}={value}"


def _slots(domain: str, level: str, classes: tuple[str, ...]) -> list[int]:
    slots = [slot(Kind.DOMAIN, domain)] if domain else []
    if level:
        slots.append(slot(Kind.BUCKET, f"{domain}\0{level}"))
    if classes:
        slots.extend(sorted({slot(Kind.FEATURE, name) for name in classes}))
        slots.append(slot(Kind.CELL, "\0".join((domain, level, *classes))))
    return slots


def _padded(lists: list[list[int]]) -> Slots:
    width = max(map(len, lists), default=0)
    flat = np.fromiter(
        (number for slots in lists for number in (*slots, *[0] * (width - len(slots)))), np.uint16
    )
    return np.ascontiguousarray(flat.reshape(len(lists), width).T)
