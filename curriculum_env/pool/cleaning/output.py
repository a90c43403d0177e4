"""The last step: the pool, the quarantine and the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from curriculum_env.pool.cleaning.report import BuildReport
from curriculum_env.pool.cleaning.settings import BuildSettings
from curriculum_env.pool.cleaning.shards import MATCH, Records, Replacing
from curriculum_env.pool.cleaning.verdicts import Verdicts
from curriculum_env.pool.table import CHUNK, schema

POOL, QUARANTINE = "pool.parquet", "quarantine.parquet"


def write_outputs(
    records: Records,
    verdicts: Verdicts,
    settings: BuildSettings,
    folder: Path,
    tick: Callable[[int], None] = lambda _: None,
) -> BuildReport:
    """Write `pool.parquet`, `quarantine.parquet`, `report.json` and `report.md` into `folder`.

    Each appears at once, the report last.
    """
    report = BuildReport(settings.as_json())
    with (
        _Table(folder / POOL, schema()) as pool,
        _Table(folder / QUARANTINE, schema(*MATCH)) as quarantine,
    ):
        for position, line in enumerate(records.lines()):
            judged = verdicts.line(records, position, line)
            report.add(judged)
            (quarantine if judged["reason"] else pool).add(judged)
            tick(1)
    _write(folder / "report.md", report.as_markdown())
    _write(folder / "report.json", json.dumps(report.as_json(), indent=2, ensure_ascii=False))
    return report


class _Table:
    """A parquet file that is written line by line and appears when it is whole."""

    def __init__(self, target: Path, kinds: Any) -> None:
        self._kinds, self._lines = kinds, list[dict[str, Any]]()
        self._replacing = Replacing(target)

    def __enter__(self) -> _Table:
        import pyarrow.parquet as pq

        self._writer = pq.ParquetWriter(self._replacing.__enter__(), self._kinds)
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()
        self._replacing.__exit__(kind, *rest)

    def add(self, line: dict[str, Any]) -> None:
        self._lines.append(line)
        if len(self._lines) >= CHUNK:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._lines:
            self._writer.write_table(pa.Table.from_pylist(self._lines, schema=self._kinds))
            self._lines = []


def _write(path: Path, text: str) -> None:
    with Replacing(path) as partial:
        partial.write_text(text + "\n", encoding="utf-8")
