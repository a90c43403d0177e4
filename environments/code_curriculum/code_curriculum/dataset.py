"""The rows: this package's own problems, or those of a dataset of a known schema.

A problem of a dataset lies on the training or the held-out side by a hash of its content, so it
stays where it is when the dataset grows, is reordered or is read only in part.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from code_curriculum.problem import Problem, hardest
from code_curriculum.schemas import SCHEMAS, Schema
from curriculum_env import ConfigError, PoolError, Row

if TYPE_CHECKING:
    from curriculum_env import Source

logger = logging.getLogger(__name__)


def dataset_rows(
    source: str, *, heldout: bool, share: float, size: int | None, max_tests: int
) -> Iterator[Row]:
    """At most `size` different problems of one side of `source`; a problem keeps at most
    `max_tests` tests.

    Raises:
        ConfigError: `source` names no schema, or no place that can be read.
        PoolError: it cannot be read, or no record holds a problem that can be tested.
    """
    return islice(_different(source, heldout, share, max_tests), size)


def _different(source: str, heldout: bool, share: float, max_tests: int) -> Iterator[Row]:
    seen: set[str] = set()
    for problem in read_problems(source):
        if is_heldout(problem, share) != heldout:
            continue
        row = replace(problem, cases=hardest(problem.cases, max_tests)).row()
        if row.uid not in seen:
            seen.add(row.uid)
            yield row


def is_heldout(problem: Problem, share: float) -> bool:
    """Whether a problem is kept for evaluation: `share` of them are, by a hash of the question."""
    digest = hashlib.sha256(" ".join(problem.question.lower().split()).encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def read_problems(source: str) -> Iterator[Problem]:
    """The problems of a source `SCHEMA[=PLACE][@SPLIT]`; records that hold none are left out.

    Raises:
        ConfigError: the schema is unknown.
        PoolError: nothing can be read, or every record is left out.
    """
    schema, records = open_source(source)
    read, refused, reason = 0, 0, ""
    for record in records.records():
        try:
            problem = schema.read(record)
        except (PoolError, KeyError) as error:
            refused, reason = refused + 1, reason or str(error)
            continue
        read += 1
        yield problem
    if not read:
        raise PoolError(
            f"none of the {refused} records of {source!r} is a problem of the schema "
            f"{schema.name!r} ({reason or 'there are none'}); expected the columns "
            f"{', '.join(schema.columns)}: name another schema or place."
        )
    if refused:
        logger.warning("Left out %d records of %s; the first: %s", refused, source, reason)


def open_source(source: str) -> tuple[Schema, Source]:
    """The schema and the records that `source` names: a file, a folder, a dataset of the hub, or
    the schema's own.

    Raises:
        ConfigError: the schema is unknown.
    """
    text, _, split = source.partition("@")
    name, _, place = text.partition("=")
    if name not in SCHEMAS:
        raise ConfigError(
            f"source {source!r} names the schema {name!r}; expected one of {', '.join(SCHEMAS)}, "
            "as in 'mbpp', 'mbpp=problems.jsonl' or 'humaneval=owner/dataset@test'."
        )
    from curriculum_env import Columns, Preset, Source

    schema = SCHEMAS[name]
    columns = Columns(prompt="", answer="", extra={column: column for column in schema.columns})
    preset = Preset(
        name=schema.name,
        hub=schema.hub,
        columns=columns,
        licence=schema.licence,
        split=schema.split,
        configs=() if place else schema.configs,
        data_files="" if place else schema.data_files,
        domain="code",
    )
    return schema, Source(place or schema.hub, columns, preset, split)
