"""Rules over buckets, for comparison: one that learns where to draw, and one that is told. A
curriculum takes them by class path, `curriculum_env.sim.rungs:RungThompson`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from curriculum_env.samplers import View
from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.arms import ArmSampler, Bandit
from curriculum_env.samplers.buckets import Buckets
from curriculum_env.types import FloatArray

_SAMPLES = 512


class RungThompson(ArmSampler):
    """Each draw samples a pass rate for every bucket from its Beta belief (discounted by `decay`
    per group) and goes to the bucket nearest the target."""

    def __init__(self, target: float = 0.5, decay: float = 0.9) -> None:
        super().__init__(_Thompson(target, decay))


class FixedShares(ArmSampler):
    """Buckets by fixed shares of their levels, whatever the rewards."""

    def __init__(self, shares: Mapping[str, float]) -> None:
        super().__init__(_Fixed(shares))


class _Thompson(Bandit):
    def __init__(self, target: float, decay: float) -> None:
        self.table = ArmTable(passes=1.0, fails=1.0)
        self._target, self._decay = target, decay

    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        passes_A, fails_A = self.table["passes"], self.table["fails"]
        rate_SA = view.rng.beta(passes_A, fails_A, (_SAMPLES, len(buckets)))
        nearest_S = np.abs(rate_SA - self._target).argmin(axis=1)
        return np.bincount(nearest_S, minlength=len(buckets)) / _SAMPLES

    def observe(self, arm: int, success_G: Sequence[float]) -> None:
        passes, decay = sum(success_G), self._decay
        for name, more in (("passes", passes), ("fails", len(success_G) - passes)):
            value_A = self.table[name]
            value_A[arm] = decay * value_A[arm] + (1.0 - decay) + more


class _Fixed(Bandit):
    def __init__(self, shares: Mapping[str, float]) -> None:
        self.table = ArmTable()
        self._shares = shares

    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        return np.array([self._shares.get(level, 0.0) for _, level in buckets.keys])
