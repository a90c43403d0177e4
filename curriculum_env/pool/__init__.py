"""The rows a curriculum draws from, and where they come from."""

from __future__ import annotations

from curriculum_env.pool.columns import Columns
from curriculum_env.pool.pool import Pool
from curriculum_env.pool.presets import PRESETS, Preset
from curriculum_env.pool.rows import load_rows, stream_rows
from curriculum_env.pool.sources import Source
from curriculum_env.pool.table import StoredRows

__all__ = [
    "PRESETS",
    "Columns",
    "Pool",
    "Preset",
    "Source",
    "StoredRows",
    "load_rows",
    "stream_rows",
]
