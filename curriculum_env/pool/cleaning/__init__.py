"""One clean pool of raw datasets, and what was taken out of them."""

from __future__ import annotations

from curriculum_env.pool.cleaning.report import BuildReport
from curriculum_env.pool.cleaning.run import build_pool
from curriculum_env.pool.cleaning.settings import BuildSettings

__all__ = ["BuildReport", "BuildSettings", "build_pool"]
