"""HeaPA: rows at the boundary between the hard and the easy half, in a life cycle."""

from __future__ import annotations

from curriculum_env.samplers.heapa.config import HeapaConfig
from curriculum_env.samplers.heapa.heapa import Heapa

__all__ = ["Heapa", "HeapaConfig"]
