"""Rollouts used again: recent ones for another update, successes where a whole group fails.

NumPy alone; tensors, losses and the policy belong to the trainer.
"""

from __future__ import annotations

from curriculum_env.replay.clip import Clipped, ClipShare, clipped_surrogate
from curriculum_env.replay.successes import Injection, SuccessBuffer, SuccessConfig
from curriculum_env.replay.trajectories import TrajectoryBuffer, TrajectoryConfig
from curriculum_env.replay.trajectory import Trajectory

__all__ = [
    "ClipShare",
    "Clipped",
    "Injection",
    "SuccessBuffer",
    "SuccessConfig",
    "Trajectory",
    "TrajectoryBuffer",
    "TrajectoryConfig",
    "clipped_surrogate",
]
