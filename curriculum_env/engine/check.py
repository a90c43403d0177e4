"""Outcomes are checked where they are told."""

from __future__ import annotations

import math

from curriculum_env.errors import RewardError
from curriculum_env.types import STATUSES, Outcome


def check_outcome(outcome: Outcome, next_number: int) -> None:
    """Raise `RewardError` for an outcome that cannot be graded."""
    if not 0 <= outcome.draw < next_number:
        raise RewardError(
            f"rollout {outcome.rollout_id} is of draw {outcome.draw}, but the next draw is "
            f"{next_number}; expected the number of a draw that ask() gave"
        )
    if outcome.status not in STATUSES:
        raise RewardError(
            f"rollout {outcome.rollout_id} has status {outcome.status!r}; "
            f"expected one of {', '.join(STATUSES)}"
        )
    if outcome.status == "ok" and not _finite(outcome.reward):
        reward = outcome.reward
        raise RewardError(
            f"rollout {outcome.rollout_id} is ok with reward {reward!r}; expected a finite number: "
            "tell status='error' for a rollout that could not be graded"
        )


def _finite(reward: float | None) -> bool:
    try:
        return math.isfinite(reward)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False
