"""How often a policy solves each task of a pool, measured before training."""

from __future__ import annotations

from curriculum_env.pool.estimate.budget import Prices
from curriculum_env.pool.estimate.chat import Asking, ChatPlayer
from curriculum_env.pool.estimate.interval import pass_rate_interval
from curriculum_env.pool.estimate.pace import Pace
from curriculum_env.pool.estimate.plan import Depth
from curriculum_env.pool.estimate.priors import read_priors, with_priors
from curriculum_env.pool.estimate.results import Prune
from curriculum_env.pool.estimate.rollouts import (
    Bound,
    Grade,
    HaltError,
    Player,
    RefusedError,
    Reply,
    ServiceError,
)
from curriculum_env.pool.estimate.session import EstimateSession, Settings

__all__ = [
    "Asking",
    "Bound",
    "ChatPlayer",
    "Depth",
    "EstimateSession",
    "Grade",
    "HaltError",
    "Pace",
    "Player",
    "Prices",
    "Prune",
    "RefusedError",
    "Reply",
    "ServiceError",
    "Settings",
    "pass_rate_interval",
    "read_priors",
    "with_priors",
]
