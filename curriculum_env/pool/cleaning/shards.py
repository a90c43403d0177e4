"""The work folder of a build: records in shards, each written once and whole."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from curriculum_env.pool.table import schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

MATCH = (
    ("reason", "string"),
    ("detail", "string"),
    ("match_uid", "string"),
    ("match_prompt", "string"),
    ("match_source", "string"),
    ("score", "float64"),
    ("where", "string"),
    ("record", "string"),
)
"""What is known of a record that is taken out: why, for which other task, and where it was read."""
COMPARED = (
    ("identity", "string"),
    ("identity_hash", "uint64"),
    ("answer_keys", "string"),
    ("answer_hash", "uint64"),
)


class Shards:
    """The shards in a folder: `NNNNN.arrow` with the records, `NNNNN.npy` with their buckets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, number: int) -> Path:
        return self.folder / f"{number:06d}.arrow"

    def has(self, number: int) -> bool:
        """Whether a shard is there, whole."""
        return self.path(number).exists()

    def write(
        self, number: int, lines: list[dict[str, Any]], bands_NW: NDArray[np.uint64] | None
    ) -> None:
        """Write a shard; its records appear last and at once, so that what is there is whole."""
        import pyarrow as pa

        self.folder.mkdir(parents=True, exist_ok=True)
        target = self.path(number)
        if bands_NW is not None:
            with Replacing(target.with_suffix(".npy")) as partial, partial.open("wb") as file:
                np.save(file, np.ascontiguousarray(bands_NW.T))
        table = pa.Table.from_pylist(lines, schema=schema(*MATCH, *COMPARED))
        with (
            Replacing(target) as partial,
            pa.OSFile(str(partial), "wb") as sink,
            pa.ipc.new_file(sink, table.schema) as writer,
        ):
            writer.write_table(table)


class Replacing:
    """A context that gives a file to write beside `target` and moves it there in the end."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.partial = target.with_name(f".{target.name}.{os.getpid()}.tmp")

    def __enter__(self) -> Path:
        return self.partial

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.partial.replace(self.target)
        else:
            self.partial.unlink(missing_ok=True)


class Records:
    """All records of all shards, memory-mapped, by position."""

    def __init__(self, shards: Shards) -> None:
        self.paths = sorted(shards.folder.glob("*.arrow"))
        self._tables = [_mapped(path) for path in self.paths]
        self._ends = list(accumulate(table.num_rows for table in self._tables))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def text(self, name: str, position: int) -> str:
        """One value of a text column."""
        shard = bisect_right(self._ends, position)
        offset = position - (self._ends[shard - 1] if shard else 0)
        return self._tables[shard].column(name)[offset].as_py() or ""

    def column(self, name: str) -> NDArray[Any]:
        """A whole column of numbers, 0 where there is none, shape (N,)."""
        parts = [table.column(name).fill_null(0).to_numpy() for table in self._tables]
        return np.concatenate(parts) if parts else np.zeros(0)

    def alive(self) -> NDArray[np.bool_]:
        """The records that were not taken out when they were read, shape (N,)."""
        parts = [table.column("reason").is_null().to_numpy() for table in self._tables]
        return np.concatenate(parts) if parts else np.zeros(0, np.bool_)

    def band(self, number: int) -> NDArray[np.uint64]:
        """The bucket of every record in one band, shape (N,)."""
        paths = (path.with_suffix(".npy") for path in self.paths)
        parts = [np.load(path, mmap_mode="r")[number] for path in paths]
        return np.concatenate(parts) if parts else np.zeros(0, np.uint64)

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """The records as they were written, in order."""
        for table in self._tables:
            for batch in table.to_batches(1000):
                yield from batch.to_pylist()


def _mapped(path: Path) -> Any:
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
