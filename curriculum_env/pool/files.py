"""Records of parquet, JSONL, JSON and CSV files, read a batch at a time."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from curriculum_env.errors import PoolError
from curriculum_env.pool.columns import Columns

BATCH = 1000
Record: TypeAlias = dict[str, Any]


def is_file_name(place: str) -> bool:
    """Whether a place ends like a file that can be read here."""
    return _kind(place) in _READERS


def files_at(place: str) -> list[Path]:
    """The files that `place` names: a path, or a pattern with `*`, `?` or `[`.

    Raises:
        PoolError: there are none.
    """
    path = Path(place).expanduser()
    if path.is_file():
        return [path]
    folder = Path(path.anchor or ".")
    pattern = str(path.relative_to(path.anchor) if path.anchor else path)
    found = sorted(folder.glob(pattern)) if any(sign in place for sign in "*?[") else []
    if not found:
        raise PoolError(f"no file is at {place}; expected a path or a pattern such as data/*.jsonl")
    return found


def read_file(path: Path, columns: Columns | None = None) -> Iterator[Record]:
    """The records of one file; of a parquet file only what `columns` needs.

    Raises:
        PoolError: it cannot be read as what its name says.
    """
    kind = _kind(path.name)
    if kind not in _READERS:
        raise PoolError(
            f"{path} ends in none of {', '.join(sorted(_READERS))}; expected one of these, "
            "compressed (.gz) or not, but for parquet"
        )
    try:
        yield from _READERS[kind](path, columns)
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise PoolError(f"{path} cannot be read as {kind} ({error}); check the file") from error


def _kind(name: str) -> str:
    suffixes = [suffix for suffix in Path(name.lower()).suffixes if suffix != ".gz"]
    return suffixes[-1] if suffixes else ""


def _open(path: Path, **options: Any) -> IO[str]:
    opener: Callable[..., Any] = gzip.open if path.suffix.lower() == ".gz" else open
    return cast(IO[str], opener(path, "rt", encoding="utf-8-sig", **options))


def _parquet(path: Path, columns: Columns | None) -> Iterator[Record]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, memory_map=True) as file:
            names = columns.roots(file.schema_arrow.names) if columns else None
            for batch in file.iter_batches(BATCH, columns=names):
                yield from batch.to_pylist()
    except pa.ArrowException as error:
        raise PoolError(f"{path} cannot be read as parquet ({error}); check the file") from error


def _jsonl(path: Path, _: Columns | None) -> Iterator[Record]:
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _record(line, f"line {number} of {path}")


def _record(text: str, where: str) -> Record:
    try:
        record = json.loads(text)
    except ValueError as error:
        raise PoolError(f"{where} is no JSON ({error}); expected one object per line") from error
    if not isinstance(record, dict):
        raise PoolError(f"{where} is {text.strip()[:40]!r}; expected a JSON object")
    return record


def _json(path: Path, _: Columns | None) -> Iterator[Record]:
    with _open(path) as file:
        try:
            records = json.load(file)
        except ValueError as error:
            raise PoolError(f"{path} is no JSON ({error}); expected a list of objects") from error
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise PoolError(f"{path} holds something else than a list of objects; use JSONL or a list")
    yield from records


def _csv(path: Path, _: Columns | None) -> Iterator[Record]:
    csv.field_size_limit(2**31 - 1)
    with _open(path, newline="") as file:
        rows: Iterable[Record] = csv.DictReader(
            file, delimiter="\t" if _kind(path.name) == ".tsv" else ",", strict=True
        )
        yield from rows


_READERS: dict[str, Callable[[Path, Columns | None], Iterator[Record]]] = {
    ".parquet": _parquet,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".tsv": _csv,
}
