"""Running figures of a curriculum, each O(1) to update."""

from __future__ import annotations

from curriculum_env.metrics.diversity import Diversity, effective_number
from curriculum_env.metrics.living import Living

__all__ = ["Diversity", "Living", "effective_number"]
