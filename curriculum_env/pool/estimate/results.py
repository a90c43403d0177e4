"""The files of an estimate: the pool with its priors, what was pruned, the report."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from curriculum_env.errors import StateError
from curriculum_env.pool.cleaning.shards import MATCH
from curriculum_env.pool.estimate.interval import pass_rate_interval
from curriculum_env.pool.estimate.priors import PRIORS
from curriculum_env.pool.estimate.summary import EstimateReport, Found
from curriculum_env.pool.sections import Section, markdown
from curriculum_env.pool.table import batches, record_of, schema
from curriculum_env.types import BoolArray, Row

POOL, QUARANTINE = "pool.parquet", "quarantine.parquet"


class Prune(StrEnum):
    """Which estimated rows leave the pool: those of no pass, of no failure, both or none."""

    both = "both"
    unsolved = "unsolved"
    solved = "solved"
    none = "none"

    def of(self, found: Found) -> BoolArray:
        """Marks the rows to take out."""
        unsolved_N = found.unsolved_N & (self in (Prune.both, Prune.unsolved))
        solved_N = found.solved_N & (self in (Prune.both, Prune.solved))
        return np.asarray(unsolved_N | solved_N)


def write_report(report: EstimateReport, sections: Iterable[Section], folder: Path) -> None:
    """Write `report.json` and `report.md`.

    Raises:
        StateError: they cannot be written.
    """
    title = f"Difficulty for {report.model}"
    _write(folder / "report.json", json.dumps(asdict(report), indent=2) + "\n")
    _write(folder / "report.md", markdown(title, sections))


def write_priors(found: Found, pruned_N: BoolArray, folder: Path) -> None:
    """Write `priors.parquet`, one line for each row with a graded rollout.

    Columns: `uid`, `domain`, `level`; `prior_passes` of `prior_attempts` (what a belief starts
    from); `low` and `high`, the 95% interval of the pass rate; `quarantine`, why the row was taken
    out, or null.

    Raises:
        StateError: it cannot be written.
    """
    import pyarrow as pa

    known_N = found.attempts_N > 0
    attempts = found.attempts_N[known_N].astype(np.float64)
    low, high = pass_rate_interval(found.passes_N[known_N], attempts)
    rows = [row for row, known in zip(found.rows, known_N, strict=True) if known]
    reasons = [reason(found, int(i)) if pruned_N[i] else None for i in np.flatnonzero(known_N)]
    columns = {
        "uid": [row.uid for row in rows],
        "domain": [row.domain for row in rows],
        "level": [row.level for row in rows],
        "prior_passes": found.passes_N[known_N],
        "prior_attempts": attempts,
        "low": low,
        "high": high,
        "quarantine": pa.array(reasons, pa.string()),
    }
    table = pa.table(columns)
    _parquet(folder / PRIORS, table.schema, table.to_batches())


def write_pools(found: Found, pruned_N: BoolArray, folder: Path) -> None:
    """Write `pool.parquet`, the rows kept, and `quarantine.parquet`, the others with the reason, in
    the columns that building a pool uses: all with the priors found, rows without a graded rollout
    as they were.

    Raises:
        StateError: they cannot be written.
    """
    kept = (record_of(row) for _, row in _rows(found, np.logical_not(pruned_N)))
    out = (_taken_out(found, i, row) for i, row in _rows(found, pruned_N))
    _parquet(folder / POOL, schema(), batches(kept, schema()))
    with_reason = schema(*MATCH)
    _parquet(folder / QUARANTINE, with_reason, batches(out, with_reason))


def reason(found: Found, position: int) -> str:
    """Why a row is taken out: too hard, or a wrong answer or rubric; or too easy."""
    return "never solved" if found.passes_N[position] <= 0 else "always solved"


def _taken_out(found: Found, position: int, row: Row) -> dict[str, Any]:
    detail = f"{row.prior_passes:g} of {row.prior_attempts:g} rollouts"
    nothing = dict.fromkeys(name for name, _ in MATCH)
    return {
        **record_of(row), **nothing, "reason": reason(found, position), "detail": detail,
        "score": row.prior_passes / row.prior_attempts,
    }  # fmt: skip


def _rows(found: Found, marked_N: BoolArray) -> Iterator[tuple[int, Row]]:
    """The marked rows and their positions, with the priors found."""
    for position, row in enumerate(found.rows):
        if marked_N[position]:
            passes, attempts = found.passes_N[position], found.attempts_N[position]
            priors = (float(passes), float(attempts))
            if not attempts:
                priors = (row.prior_passes, row.prior_attempts)
            data = dict(row.data)  # read from the file once
            yield (
                position,
                replace(row, data=data, prior_passes=priors[0], prior_attempts=priors[1]),
            )


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _refused(path, error) from error


def _parquet(path: Path, kinds: Any, lines: Iterable[Any]) -> None:
    """All at once: a reader sees the old file or the new one."""
    import pyarrow.parquet as pq

    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with pq.ParquetWriter(partial, kinds) as writer:
            for batch in lines:
                writer.write_batch(batch)
        partial.replace(path)
    except OSError as error:
        raise _refused(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


def _refused(path: Path, error: OSError) -> StateError:
    return StateError(
        f"{path} cannot be written ({error.strerror or error}): make room or let it be written, "
        "then run the same command again with --resume."
    )
