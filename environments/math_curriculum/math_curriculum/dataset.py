"""The problems: any pool or dataset, in two parts that share no question.

Which part a problem belongs to is decided by a hash of its question, so a problem stays on its
side when the dataset grows, is sorted anew or filtered, and two problems that differ in nothing
but their answers stay together.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import as_file, files
from itertools import islice
from typing import Any, NamedTuple

from curriculum_env import Row, StoredRows, stream_rows
from math_curriculum.rubric import sound

logger = logging.getLogger(__name__)

SHIPPED = {"prompt": "problem", "answer": "answer", "domain": "domain", "level": "level"}
CHUNK = 1_024


class Where(NamedTuple):
    """A pool: what `pool` names (None: the problems that come with this package), its columns as
    (part, path) pairs, the share held out or the pool that is, and whether the answers are looked
    at first."""

    pool: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    heldout: float = 0.2
    heldout_size: int = 500
    heldout_pool: str | None = None
    check_answers: bool = True


@lru_cache(maxsize=1)
def train_rows(where: Where, size: int | None = None) -> StoredRows:
    """At most `size` distinct problems to train on.

    Raises:
        ConfigError, PoolError: the pool cannot be found, or read, or holds no problem.
        CheckerError: the checker of the answers cannot be started.
    """
    evaluated = _questions(where)
    rows = (row for row in _rows(where, where.pool) if not _held_out(row, where, evaluated))
    return StoredRows.spool(islice(rows, size))


@lru_cache(maxsize=1)
def heldout_rows(where: Where) -> StoredRows:
    """The problems to evaluate on: `heldout_pool` or else the share held out, of which the first
    `heldout_size` by their hash.

    Raises:
        ConfigError, PoolError, CheckerError: as `train_rows`.
    """
    if where.heldout_pool is not None:
        return StoredRows.spool(_rows(where, where.heldout_pool))
    rows = [row for row in _rows(where, where.pool) if side(row) < where.heldout]
    return StoredRows.spool(sorted(rows, key=side)[: where.heldout_size])


def _questions(where: Where) -> set[str]:
    """The fingerprints of the evaluation pool's questions."""
    if where.heldout_pool is None:
        return set()
    return {str(row.data["fingerprint"]) for row in stream_rows(where.heldout_pool)}


def _held_out(row: Row, where: Where, evaluated: set[str]) -> bool:
    if where.heldout_pool is not None:
        return str(row.data["fingerprint"]) in evaluated
    return side(row) < where.heldout


def side(row: Row) -> float:
    """A number in [0, 1) that depends on the question alone."""
    digest = hashlib.sha256(str(row.data["fingerprint"]).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def _rows(where: Where, pool: str | None) -> Iterator[Row]:
    rows = _distinct(_read(pool, dict(where.columns) if pool == where.pool else None))
    return _sound(rows) if where.check_answers else rows


def _read(pool: str | None, columns: Mapping[str, str] | None) -> Iterator[Row]:
    if pool is not None:
        yield from stream_rows(pool, columns=columns or None)
        return
    with as_file(files(__package__) / "problems.jsonl") as path:
        for row in stream_rows(str(path), columns=SHIPPED):
            yield replace(row, data={**row.data, "licence": "MIT"})


def _distinct(rows: Iterable[Row]) -> Iterator[Row]:
    seen = set[str]()
    for row in rows:
        if row.uid not in seen:
            seen.add(row.uid)
            yield row


def _sound(rows: Iterable[Row]) -> Iterator[Row]:
    """Those with an answer that replies can be measured against, and of the answers only those."""
    rows = iter(rows)
    left_out: list[str] = []
    while chunk := list(islice(rows, CHUNK)):
        good = sound([answers_of(row.data) for row in chunk])
        for row, answers in zip(chunk, good, strict=True):
            if answers:
                yield replace(row, data={**row.data, "answer": answers})
            else:
                left_out.append(row.uid)
    if left_out:
        logger.warning(
            "%d problems were left out, as no reply can be compared with their answers (first: "
            "%s); `curriculum-env pool build` says why",
            len(left_out),
            left_out[0],
        )


def answers_of(data: Mapping[str, Any]) -> Sequence[str]:
    """The accepted answers."""
    answer = data["answer"]
    return [answer] if isinstance(answer, str) else list(answer)
