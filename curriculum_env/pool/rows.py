"""Rows of any source: one by one, or all of them memory-mapped."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from curriculum_env.errors import PoolError
from curriculum_env.pool.columns import Columns, pick
from curriculum_env.pool.content import answer_of, fingerprint, prompt_of, sound
from curriculum_env.pool.files import Record, files_at
from curriculum_env.pool.sources import Data, Source, source_of
from curriculum_env.pool.table import StoredRows, holds_rows, read_rows
from curriculum_env.types import Row, content_uid

logger = logging.getLogger(__name__)

PATIENCE = 100_000
"""After so many records without a single row, the columns are taken to be wrong."""


def row_of(record: Record, source: Source) -> Row:
    """The row of a record.

    Its `data` has `prompt` (text, or messages), `answer` (a text, or a list of texts of which any
    is right), `source`, `licence`, `fingerprint` and what `columns.extra` names. Its uid is that
    of prompt and answer, so that the same task from two sources is one row.

    Raises:
        PoolError: prompt or answer are missing or of a wrong type.
    """
    prompt, answer = prompt_of(source.prompt(record)), answer_of(source.answer(record))
    columns = source.columns
    data = {
        "prompt": prompt,
        "answer": answer,
        "source": _label(record, columns.source) or source.name,
        "licence": _label(record, columns.licence) or source.licence,
        "fingerprint": fingerprint(prompt),
        **_named(record, columns.extra),
    }
    return Row(
        uid=content_uid({"prompt": prompt, "answer": answer}),
        data=data,
        domain=_label(record, columns.domain) or source.domain,
        level=_label(record, columns.level),
        features=_named(record, columns.features),
    )


def _label(record: Record, path: str) -> str:
    value = pick(record, path) if path else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else sound(str(value), path)


def _named(record: Record, paths: Mapping[str, str]) -> dict[str, Any]:
    found = {name: pick(record, path) for name, path in paths.items()}
    return {name: value for name, value in found.items() if not _missing(value)}


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def stream_rows(
    data: Data | Source,
    preset: str | None = None,
    columns: Columns | Mapping[str, str] | None = None,
    *,
    split: str = "",
    streaming: bool = False,
    refused: Callable[[int, Record, PoolError], None] | None = None,
) -> Iterator[Row]:
    """The rows of `data`, one by one, repetitions and all.

    `data` is a preset's name, `PRESET=PLACE`, a file or pattern of files (parquet, JSONL, JSON,
    CSV), a folder or a hub name for `load_dataset`, each with `@SPLIT` behind it if need be, a
    pool that `curriculum-env pool build` wrote, or an iterable of mappings. `columns` may be a
    mapping from parts to paths. A record that is no task is passed to `refused` with its
    position; unset, it is left out and counted in a warning.

    Raises:
        ConfigError: there is no such source or preset.
        PoolError: it cannot be read, or none of its first records is a task.
    """
    source = source_of(
        data,
        preset_name=preset,
        columns=_columns(columns),
        split=split,
        streaming=streaming,
    )
    if isinstance(source.data, str | Path) and source.is_file:
        paths = files_at(str(source.data))
        if all(map(holds_rows, paths)):
            for path in paths:
                yield from read_rows(path)
            return
    yield from _stream(source, refused)


def _columns(columns: Columns | Mapping[str, str] | None) -> Columns | None:
    if columns is None or isinstance(columns, Columns):
        return columns
    return Columns().with_paths(f"{part}={path}" for part, path in columns.items())


def _stream(
    source: Source, refused: Callable[[int, Record, PoolError], None] | None
) -> Iterator[Row]:
    taken, left_out = 0, 0
    first: PoolError | None = None
    for position, record in enumerate(source.records()):
        try:
            row = row_of(record, source)
        except PoolError as error:
            first = first or error
            left_out += 1
            if refused is not None:
                refused(position, record, error)
            if taken == 0 and left_out >= PATIENCE:
                break
            continue
        taken += 1
        yield row
    if first is not None and not taken:
        raise PoolError(
            f"none of the {left_out} records read of {_named_source(source)} is a task: {first} "
            f"(prompt at {source.columns.prompt!r}, answer at {source.columns.answer!r})"
        )
    if left_out and refused is None:
        logger.warning(
            "%s: %d of %d records are no task and were left out, the first because %s",
            *(_named_source(source), left_out, left_out + taken, first),
        )


def _named_source(source: Source) -> str:
    return str(source.data) if isinstance(source.data, str | Path) else "the iterable"


def load_rows(
    data: Data | Source,
    preset: str | None = None,
    columns: Columns | Mapping[str, str] | None = None,
    *,
    split: str = "",
    streaming: bool = False,
    limit: int | None = None,
) -> StoredRows:
    """The distinct rows of `data` as a sequence that lies in a memory-mapped temporary file.

    Takes what `stream_rows` takes. Of rows with one uid (the same prompt and answer) the first is
    kept, and at most `limit` rows. A row's data is read when it is looked at, so that a million
    rows fit into 1 GiB, also inside a `Curriculum`.

    Raises:
        ConfigError, PoolError: as `stream_rows`; PoolError also where there is no row at all.
    """
    rows = stream_rows(data, preset, columns, split=split, streaming=streaming)
    stored = StoredRows.spool(_distinct(rows, limit))
    if not len(stored):
        raise PoolError(f"{data!s:.200} holds no rows; expected at least one task")
    return stored


def _distinct(rows: Iterator[Row], limit: int | None) -> Iterator[Row]:
    seen: set[int] = set()
    for row in rows:
        if limit is not None and len(seen) >= limit:
            return
        key = hash(row.uid) if len(row.uid) != 16 else int(row.uid, 16)
        if key not in seen:
            seen.add(key)
            yield row
