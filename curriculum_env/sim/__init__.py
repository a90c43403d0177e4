"""Simulated policies that learn, to judge rules by what they are for: accuracy per rollout."""

from __future__ import annotations

from curriculum_env.sim.play import Play, play
from curriculum_env.sim.setting import LADDERS, SETTINGS, Setting
from curriculum_env.sim.world import World

__all__ = ["LADDERS", "SETTINGS", "Play", "Setting", "World", "play"]
