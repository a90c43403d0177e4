"""The curriculum itself: ask for a row, tell what its rollouts earned."""

from __future__ import annotations

from curriculum_env.engine.curriculum import Curriculum
from curriculum_env.engine.state import load_state, save_state

__all__ = ["Curriculum", "load_state", "save_state"]
