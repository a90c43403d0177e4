"""The rows a curriculum draws from."""

from __future__ import annotations

from curriculum_env.pool.pool import Pool

__all__ = ["Pool"]
