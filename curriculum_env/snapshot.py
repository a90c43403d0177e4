"""The beliefs of a curriculum as files: a parquet table keyed by uid, and a JSON sidecar."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from curriculum_env.engine import Curriculum
from curriculum_env.errors import StateError

FORMAT = 2
COLUMNS = (
    *("uid", "domain", "level", "mean", "low", "high"),
    *("evidence", "rollouts", "visits", "last_draw"),
)


def sidecar_path(path: Path) -> Path:
    """Where the sidecar of the parquet file at `path` lies: beside it, ending in `.json`."""
    return path.with_suffix(".json")


def is_sidecar(path: Path) -> bool:
    """Whether the file at `path` is a sidecar that `write_snapshot` wrote."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and {"format", "rows", "config", "metrics"} <= found.keys()


def write_snapshot(
    curriculum: Curriculum,
    path: Path,
    rollouts: Mapping[str, int],
    *,
    store: str | None = None,
) -> int:
    """Write one line for each row of the pool to the parquet file at `path`; returns their number.

    Columns: `uid`, `domain`, `level`; `mean`, `low` and `high` (a central 90% interval) of the
    pass rate in [0, 1]; `evidence` (how many fresh rollouts the belief is worth: old ones fade;
    0: nothing known); `rollouts` (how many were graded, as `rollouts` counts them by uid);
    `visits`; `last_draw` (-1: never). The sidecar holds the settings, the metrics, and the URL of
    the store they come from: `store`, unset the curriculum's own.

    Raises:
        StateError: the files cannot be written.
    """
    table = curriculum.table()
    table["rollouts"] = np.array([rollouts.get(uid, 0) for uid in table["uid"]], np.int64)
    columns = {name: table[name] for name in COLUMNS}
    sidecar = {
        "format": FORMAT,
        "created": time.time(),
        "rows": len(curriculum.rows),
        "group_size": curriculum.group_size,
        "store": store or curriculum.store.url,
        "config": curriculum.config.model_dump(mode="json"),
        "metrics": curriculum.metrics(),
    }
    try:
        _write_parquet(columns, path)
        sidecar_path(path).write_text(json.dumps(sidecar, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise StateError(
            f"the snapshot {path} cannot be written ({error.strerror or error}): name a file in a "
            "folder that exists and can be written."
        ) from error
    return len(curriculum.rows)


def _write_parquet(columns: dict[str, Any], path: Path) -> None:
    """All at once: a reader sees the old file or the new one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        pq.write_table(pa.table(columns), partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
