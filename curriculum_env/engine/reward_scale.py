"""Rewards become successes in [0, 1]."""

from __future__ import annotations

import logging
import math

from curriculum_env.config import CurriculumConfig

logger = logging.getLogger(__name__)


class RewardScale:
    """Rescales rewards to [0, 1], or compares them with the threshold where one is set.

    A reward outside `reward_range` is clipped and counted, and the first is warned about; the
    invalid reward is a failure without a word. One that is no finite number is no grade.
    """

    def __init__(self, config: CurriculumConfig) -> None:
        self._low, self._high = config.reward_range
        self._invalid, self._threshold = config.invalid_reward, config.success_threshold
        self.out_of_range = self.not_finite = 0

    def success(self, reward: float) -> float | None:
        """The success of `reward`, or None where it is not finite."""
        low, high = self._low, self._high
        if not low <= reward <= high:
            if not math.isfinite(reward):
                self.not_finite += 1
                return None
            if reward == self._invalid:
                return 0.0
            self._clipped(reward)
        if self._threshold is not None:
            return float(reward >= self._threshold)
        if low <= reward <= high:
            return (reward - low) / (high - low)
        return float(reward > high)

    def invalid(self, reward: float) -> bool:
        """Whether `reward` says that the answer could not be graded: it is the invalid one, and no
        answer that was graded can earn it."""
        return reward == self._invalid and not self._low <= reward <= self._high

    def _clipped(self, reward: float) -> None:
        self.out_of_range += 1
        if self.out_of_range == 1:
            logger.warning(
                "a rollout earned %s outside reward_range [%s, %s] and was clipped to it; "
                "set curriculum.reward_range to the least and greatest reward",
                reward, self._low, self._high,
            )  # fmt: skip

    def state_dict(self) -> list[int]:
        return [self.out_of_range, self.not_finite]

    def load_state_dict(self, state: list[int]) -> None:
        self.out_of_range, self.not_finite = state
