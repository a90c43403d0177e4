"""The third step: near duplicates, all at once and in parts that need not know of each other.

What `NearIndex` does one prompt at a time is done here for all with sorted arrays: a record is a
near duplicate if an earlier record that shares a bucket with it is the same task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from curriculum_env.pool.cleaning.duplicates import Found, none_found
from curriculum_env.pool.cleaning.shards import Records
from curriculum_env.pool.near import BUCKET, COMPARED
from curriculum_env.pool.profile import Profile, profile_of_identity
from curriculum_env.pool.signatures import WIDTH
from curriculum_env.pool.similar import same_task

if TYPE_CHECKING:
    from numpy.typing import NDArray


def part_of(records: int, part: int, parts: int) -> range:
    """The records whose duplicates are looked for in part number `part` of `parts`."""
    return range(records * part // parts, records * (part + 1) // parts)


def near(
    records: Records,
    alive_N: NDArray[np.bool_],
    later: range,
    tick: Callable[[int], None] = lambda _: None,
) -> Found:
    """The near duplicates among the records of `later`, each with the earlier record it matches.

    `tick` is told how many records were done.
    """
    found = none_found(len(records))
    done = later.start
    for position, candidates in candidates_of(records, alive_N, later):
        best, score = _best(records, position, candidates)
        found.match_N[position], found.score_N[position] = best, score
        if position - done >= 1000:
            tick(position - done)
            done = position
    tick(later.stop - done)
    return found


def candidates_of(
    records: Records, alive_N: NDArray[np.bool_], later: range
) -> Iterator[tuple[int, list[int]]]:
    """Each record of `later` that shares a bucket with earlier ones, and at most `COMPARED` of
    those: first those it shares most buckets with."""
    keys, shared = _pairs(records, alive_N, later)
    size = max(len(records), 1)
    positions, earlier = keys // size, keys % size
    order = np.lexsort((earlier, -shared, positions))
    positions, earlier = positions[order], earlier[order]
    cuts = np.flatnonzero(positions[1:] != positions[:-1]) + 1
    bounds = [0, *cuts.tolist(), len(positions)] if len(positions) else []
    for start, end in pairwise(bounds):
        yield int(positions[start]), earlier[start : min(end, start + COMPARED)].tolist()


def _pairs(
    records: Records, alive_N: NDArray[np.bool_], later: range
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every pair as `later * N + earlier`, and the number of buckets it shares."""
    alive = np.flatnonzero(alive_N)
    size = max(len(records), 1)
    found = [_pairs_of(records.band(band)[alive], alive, later, size) for band in range(WIDTH)]
    return np.unique(np.concatenate(found), return_counts=True)


def _pairs_of(
    buckets_A: NDArray[np.uint64], alive_A: NDArray[np.int64], later: range, size: int
) -> NDArray[np.int64]:
    """The pairs of one band: each record with the first `BUCKET` of its bucket that precede it."""
    order = np.argsort(buckets_A, kind="stable")
    ordered = buckets_A[order]
    positions = alive_A[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]] if len(ordered) else np.zeros(0, np.bool_)
    starts = np.flatnonzero(new)[np.cumsum(new) - 1] if len(ordered) else np.zeros(0, np.int64)
    rank = np.arange(len(ordered)) - starts
    wanted = (ordered != 0) & (positions >= later.start) & (positions < later.stop)
    return np.concatenate(
        [_with_member(positions, starts, wanted & (rank > k), k, size) for k in range(BUCKET)]
    )


def _with_member(
    positions: NDArray[np.int64],
    starts: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    member: int,
    size: int,
) -> NDArray[np.int64]:
    return positions[chosen] * size + positions[starts[chosen] + member]


def _best(records: Records, position: int, candidates: list[int]) -> tuple[int, float]:
    """The candidate that is the same task with the highest score, -1 where none is."""
    profile, answers = _compared(records, position)
    best, score = -1, 0.0
    for candidate in candidates:
        other, other_answers = _compared(records, candidate)
        similarity = same_task(profile, other, answers, other_answers)
        if similarity > score:
            best, score = candidate, similarity
    return best, score


def _compared(records: Records, position: int) -> tuple[Profile, frozenset[str]]:
    profile = profile_of_identity(records.text("identity", position))
    return profile, frozenset(records.text("answer_keys", position).split(" | "))
