"""The tasks that were made, as a table with their lineage."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from curriculum_env.augment.hooks import answers_of, prompt_field
from curriculum_env.errors import PoolError, StateError
from curriculum_env.pool.content import as_json, prompt_text
from curriculum_env.store import Store
from curriculum_env.store.queue import RECHECK, Augmentation
from curriculum_env.types import Row

_CHUNK = 1024
_TOLD = ("policy", "prompt_version", "teacher", "teacher_model", "votes", "agreement", "difficulty")


def write_variants(store: Store, path: Path) -> int:
    """Write every task that was accepted, one line each, to the parquet file at `path`; returns
    their number.

    Columns: `uid`, `prompt` (the problem), `answer` (the accepted ones), `parent` (the uid of the
    row it is a variant of), `root` (of the first of its ancestors), `generation`, `kind`, `factor`
    (difficulty relative to the parent), `domain`, `level`, `state` (accepted, inserted or
    quarantined) and `reason`; where it comes from: `policy`, `prompt_version`, `teacher`,
    `teacher_model`, `votes`, `agreement`, `difficulty`, `draw`, `tokens`, `time` (UTC); and
    `features` and `data` as JSON. `datasets.load_dataset("parquet", data_files=...)` reads it, and
    `curriculum-env pool build` takes it.

    Raises:
        StateError: the file cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    kinds, lines, count = _schema(pa), _lines(store), 0
    try:
        with pq.ParquetWriter(partial, kinds) as writer:
            while chunk := list(islice(lines, _CHUNK)):
                writer.write_table(pa.Table.from_pylist(chunk, schema=kinds))
                count += len(chunk)
        partial.replace(path)
    except OSError as error:
        raise StateError(
            f"the variants cannot be written to {path} ({error.strerror or error}): name a file in "
            "a folder that exists and can be written."
        ) from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def _schema(pa: Any) -> Any:
    text, real, whole = pa.string(), pa.float64(), pa.int64()
    columns = {
        "uid": text,
        "prompt": text,
        "answer": pa.list_(text),
        "parent": text,
        "root": text,
        "generation": whole,
        "kind": text,
        "factor": real,
        "domain": text,
        "level": text,
        "state": text,
        "reason": text,
        "policy": text,
        "prompt_version": text,
        "teacher": text,
        "teacher_model": text,
        "votes": whole,
        "agreement": real,
        "difficulty": real,
        "draw": whole,
        "tokens": whole,
        "time": pa.timestamp("us", tz="UTC"),
        "features": text,
        "data": text,
    }
    return pa.schema(list(columns.items()))


def _lines(store: Store) -> Iterator[dict[str, Any]]:
    roots: dict[str, str] = {}
    for item in store.queue.items():
        if item.child is not None:
            parent = item.source.parent if item.kind == RECHECK else item.source.uid
            roots[item.child.uid] = roots.get(parent, parent)
            yield _line(item, item.child, parent, roots[item.child.uid])


def _line(item: Augmentation, row: Row, parent: str, root: str) -> dict[str, Any]:
    known = item.provenance
    return {
        "uid": row.uid,
        "prompt": known.get("problem") or problem_of(row),
        "answer": answers_of(row),
        "parent": parent,
        "root": root,
        "generation": item.asked.generation,
        "kind": item.kind,
        "factor": row.factor,
        "domain": row.domain,
        "level": row.level,
        "state": item.state,
        "reason": item.reason,
        **{name: known.get(name) for name in _TOLD},
        "draw": item.asked.draw,
        "tokens": item.spent.tokens,
        "time": int(known.get("time", item.changed) * 1e6),
        "features": as_json(dict(row.features)),
        "data": as_json(dict(row.data)),
    }


def problem_of(row: Row) -> str:
    """The problem of a row as far as its data alone tells."""
    try:
        return prompt_text(row.data[prompt_field(row.data)])
    except PoolError:
        return as_json(dict(row.data))
