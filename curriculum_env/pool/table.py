"""Rows as an Arrow table: the pool's parquet file, and rows memory-mapped from a file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from curriculum_env.errors import PoolError
from curriculum_env.pool.content import answers, as_json, prompt_text
from curriculum_env.types import Row

CHUNK = 4096
FORMAT = b"1"
KEY = b"curriculum_env.pool"
_LABELS = ("source", "licence", "fingerprint")
_OWN = {"prompt", "answer", *_LABELS}


def schema(*more: tuple[str, str]) -> Any:
    """The columns of a pool, then `more` (name, type of Arrow) ones.

    `prompt` is the text that is compared with others; `messages` the chat as JSON where the prompt
    is one; `answer` the accepted answers; `features` and `extra` are JSON objects.
    """
    import pyarrow as pa

    text = pa.string()
    plain = ("domain", "level", *_LABELS)
    fields = [
        pa.field("uid", text),
        pa.field("prompt", text),
        pa.field("messages", text),
        pa.field("answer", pa.list_(text)),
        *(pa.field(name, text) for name in plain),
        pa.field("features", text),
        pa.field("extra", text),
        pa.field("prior_passes", pa.float64()),
        pa.field("prior_attempts", pa.float64()),
        *(pa.field(name, kind) for name, kind in more),
    ]
    return pa.schema(fields, metadata={KEY: FORMAT})


def record_of(row: Row) -> dict[str, Any]:
    """A row as one line of the table."""
    data = row.data
    prompt = data["prompt"]
    extra = {name: value for name, value in data.items() if name not in _OWN}
    return {
        "uid": row.uid,
        "prompt": prompt_text(prompt),
        "messages": None if isinstance(prompt, str) else as_json(prompt),
        "answer": answers(data["answer"]),
        "domain": row.domain,
        "level": row.level,
        **{name: data.get(name, "") for name in _LABELS},
        "features": _dumped(row.features),
        "extra": _dumped(extra),
        "prior_passes": row.prior_passes,
        "prior_attempts": row.prior_attempts,
    }


def _dumped(values: Mapping[str, Any]) -> str | None:
    return as_json(dict(values)) if values else None


def data_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The data of the row that a line of the table holds."""
    accepted = record["answer"]
    return {
        "prompt": json.loads(record["messages"]) if record["messages"] else record["prompt"],
        "answer": accepted[0] if len(accepted) == 1 else accepted,
        **{name: record[name] for name in _LABELS},
        **(json.loads(record["extra"]) if record["extra"] else {}),
    }


def row_from(record: Mapping[str, Any]) -> Row:
    """The row that a line of the table holds."""
    return _row(record, data_of(record))


def _row(record: Mapping[str, Any], data: Mapping[str, Any]) -> Row:
    return Row(
        record["uid"],
        data,
        record["domain"],
        record["level"],
        json.loads(record["features"]) if record["features"] else {},
        record["prior_passes"],
        record["prior_attempts"],
    )


def batches(records: Iterable[Mapping[str, Any]], kinds: Any) -> Iterator[Any]:
    """Record batches of `CHUNK` lines, with the schema `kinds`."""
    import pyarrow as pa

    lines = iter(records)
    while chunk := list(islice(lines, CHUNK)):
        yield pa.RecordBatch.from_pylist(chunk, schema=kinds)


def holds_rows(path: Path) -> bool:
    """Whether the file is a parquet file of rows as this module writes them.

    Raises:
        PoolError: it is one of a later version.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.suffix != ".parquet":
        return False
    try:
        found = (pq.read_schema(path).metadata or {}).get(KEY)
    except (pa.ArrowException, OSError):
        return False
    if found not in (None, FORMAT):
        raise PoolError(
            f"{path} is a pool of format {found.decode()!r}; expected {FORMAT.decode()!r}: read it "
            "with the version of curriculum-env that wrote it"
        )
    return found is not None


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file that `holds_rows`."""
    return map(row_from, read_records(path))


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a parquet file, a batch at a time."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, memory_map=True) as file:
        for batch in file.iter_batches(CHUNK):
            yield from batch.to_pylist()


class StoredData(Mapping[str, Any]):
    """The data of a stored row, read from the file when it is looked at."""

    __slots__ = ("_index", "_rows")

    def __init__(self, rows: StoredRows, index: int) -> None:
        self._rows, self._index = rows, index

    def __getitem__(self, name: str) -> Any:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self._read() == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (self._read(),)

    def _read(self) -> dict[str, Any]:
        return data_of(self._rows.record(self._index))


class StoredRows(Sequence[Row]):
    """Rows in a memory-mapped Arrow file; each access makes the row anew, its data on demand."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._labels: dict[str, str] = {}

    @classmethod
    def spool(cls, rows: Iterable[Row]) -> StoredRows:
        """Write `rows` to a temporary file that ends with the process, and map it.

        Raises:
            PoolError: the temporary folder has no room.
        """
        try:
            return cls._spooled(rows)
        except OSError as error:
            raise PoolError(
                f"the rows cannot be written to the temporary folder {tempfile.gettempdir()} "
                f"({error.strerror or error}); name a folder with more room in TMPDIR"
            ) from error

    @classmethod
    def _spooled(cls, rows: Iterable[Row]) -> StoredRows:
        import pyarrow as pa

        with tempfile.NamedTemporaryFile(prefix="curriculum-env-", suffix=".arrow") as file:
            kinds = schema()
            with pa.OSFile(file.name, "wb") as sink, pa.ipc.new_file(sink, kinds) as writer:
                for batch in batches(map(record_of, rows), kinds):
                    writer.write_batch(batch)
            return cls(pa.ipc.open_file(pa.memory_map(file.name)).read_all())

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._row(index % len(self))

    def __iter__(self) -> Iterator[Row]:
        start = 0
        for batch in self._table.select(_SMALL).to_batches():
            for offset, record in enumerate(batch.to_pylist()):
                yield self._lazy(record, start + offset)
            start += batch.num_rows

    def record(self, index: int) -> dict[str, Any]:
        """Line `index` of the table."""
        line: dict[str, Any] = self._table.slice(index, 1).to_pylist()[0]
        return line

    def _row(self, index: int) -> Row:
        return self._lazy(self._table.select(_SMALL).slice(index, 1).to_pylist()[0], index)

    def _lazy(self, record: dict[str, Any], index: int) -> Row:
        for name in ("domain", "level"):
            record[name] = self._labels.setdefault(record[name], record[name])
        return _row(record, StoredData(self, index))


_SMALL = ["uid", "domain", "level", "features", "prior_passes", "prior_attempts"]
