"""Simulated policies that learn, to judge rules by what they are for: accuracy per rollout."""

from __future__ import annotations

from curriculum_env.sim.entrants import Entrant, entrants, tuned
from curriculum_env.sim.lab import run_lab
from curriculum_env.sim.play import Play, play
from curriculum_env.sim.setting import LADDERS, SETTINGS, Setting
from curriculum_env.sim.world import World

__all__ = [
    "LADDERS",
    "SETTINGS",
    "Entrant",
    "Play",
    "Setting",
    "World",
    "entrants",
    "play",
    "run_lab",
    "tuned",
]
