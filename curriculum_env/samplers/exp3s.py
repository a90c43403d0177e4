"""Exp3.S: buckets by the gain of their groups, against an adversary that may switch."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.arms import Bandit
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.spread import floored, softmax
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray


class Exp3sConfig(BaseConfig):
    """Settings of `Exp3s`."""

    type: Literal["exp3s"] = "exp3s"
    """Buckets whose groups gain most, by an adversarial bandit."""
    by: By = "bucket"
    """What makes a bucket: domain and level together, or one of them."""
    gain: Literal["progress", "signal"] = "progress"
    """A group's gain: how far its mean success rose since the bucket's last group, or p (1-p)."""
    eta: float = Field(default=1e-3, gt=0)
    """Step size."""
    beta: float = Field(default=0.0, ge=0)
    """Bonus of every bucket, over its chance."""
    epsilon: float = Field(default=0.05, ge=0, le=1)
    """Share of the draws spread evenly over the buckets."""
    history: int = Field(default=1024, ge=8)
    """Gains whose 20% and 80% quantiles are scaled to -1 and 1."""


class Exp3s(Bandit):
    """Graves et al. 2017 (arXiv 1704.03003, section 3.1), after Auer et al. 2002:

    pi_i = (1 - eps) softmax(w)_i + eps / A
    w_i <- log((1 - a) e^{u_i} + a/(A-1) sum_{j != i} e^{u_j}),  u_i = w_i + eta * r_i,  a = 1/t
    r_i = (r * [i drawn] + beta) / pi_i

    r is the gain, scaled linearly to [-1, 1] between the quantiles of the gains so far (the last
    `history` of them in place of the paper's reservoir) and clipped. pi is the present chance, not
    that at the time of the draw: with eta = 1e-3 they hardly differ while a group is in flight.
    """

    def __init__(self, config: Exp3sConfig | None = None) -> None:
        self.config = config = config or Exp3sConfig()
        self.table = ArmTable(weight=0.0, score=-1.0)
        self.gains = Gains(config.history)
        self.updates = 0

    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        return self.pi()

    def pi(self) -> FloatArray:
        """The chance of each bucket."""
        return floored(softmax(self.table["weight"]), self.config.epsilon)

    def observe(self, arm: int, success_G: Sequence[float]) -> None:
        score, before = sum(success_G) / len(success_G), float(self.table["score"][arm])
        self.table["score"][arm] = score
        if self.config.gain == "signal":
            self.update(arm, self.gains.scaled(score * (1.0 - score)))
        elif before >= 0.0:
            self.update(arm, self.gains.scaled(score - before))

    def update(self, arm: int, reward: float) -> None:
        """One step with a reward in [-1, 1]; O(buckets)."""
        config, weight_A = self.config, self.table["weight"]
        reward_A = np.full(len(weight_A), config.beta)
        reward_A[arm] += reward
        self.updates += 1
        up_A = weight_A + config.eta * reward_A / self.pi()
        if len(up_A) > 1:
            share = 1.0 / (self.updates + 1)
            e_A = np.exp(up_A - up_A.max())
            others_A = (e_A.sum() - e_A) / (len(e_A) - 1)
            up_A = np.log((1.0 - share) * e_A + share * others_A)
        weight_A[:] = up_A

    def state_dict(self) -> dict[str, Any]:
        return {"updates": self.updates, "gains": list(self.gains.recent)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.updates = state["updates"]
        self.gains = Gains(self.config.history)
        for gain in state["gains"]:
            self.gains.add(gain)


class Gains:
    """The last gains, in order of arrival and of size."""

    def __init__(self, size: int) -> None:
        self.recent: deque[float] = deque()
        self._size = size
        self._sorted: list[float] = []

    def add(self, gain: float) -> None:
        self.recent.append(gain)
        insort(self._sorted, gain)
        if len(self.recent) > self._size:
            del self._sorted[bisect_left(self._sorted, self.recent.popleft())]

    def scaled(self, gain: float) -> float:
        """Remember `gain`, and scale it to [-1, 1] by the 20% and 80% quantiles; 0 while these are
        the same and it is neither above nor below."""
        self.add(gain)
        low, high = self.quantile(0.2), self.quantile(0.8)
        if low <= gain <= high:
            return 2.0 * (gain - low) / (high - low) - 1.0 if high > low else 0.0
        return -1.0 if gain < low else 1.0

    def quantile(self, q: float) -> float:
        """Interpolated linearly between the gains."""
        place = (len(self._sorted) - 1) * q
        below = int(place)
        above = min(below + 1, len(self._sorted) - 1)
        return self._sorted[below] + (place - below) * (self._sorted[above] - self._sorted[below])
