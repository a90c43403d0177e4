"""Sources of a build and what it left, for its tests."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

OUTPUTS = ("pool.parquet", "quarantine.parquet", "report.json", "report.md")


def write(path: Path, records: Iterable[dict[str, Any]]) -> str:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return str(path)


def lines(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]


def same(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in OUTPUTS)


def numbered(count: int) -> list[dict[str, Any]]:
    """Distinct tasks, and every tenth in other words."""
    rng = random.Random(1)
    records = []
    for _ in range(count):
        a, b = rng.randrange(100, 9999), rng.randrange(100, 9999)
        text = f"A depot holds {a} crates and {b} more arrive. How many crates does it hold then?"
        if rng.random() < 0.1:
            text = f"{b} crates arrive at a depot that holds {a}. How many crates does it hold?"
        records.append({"prompt": text, "answer": a + b})
    return records
