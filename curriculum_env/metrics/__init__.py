"""Running figures of a curriculum, each O(1) to update."""

from __future__ import annotations

from curriculum_env.metrics.diversity import Diversity, effective_number
from curriculum_env.metrics.living import Living
from curriculum_env.metrics.pass_rate import Frame, PoolPassRate

__all__ = ["Diversity", "Frame", "Living", "PoolPassRate", "effective_number"]
