"""Bandits over buckets: what they promise, and how their chances become rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, Group, IntArray, Row

LEAST_CHANCE = 1e-9


class ArmTable:
    """Arrays over buckets that grow together and are saved bucket by bucket; each is named, with
    what a fresh bucket begins with."""

    def __init__(self, **fresh: ArrayLike) -> None:
        self._fresh = {name: np.asarray(value, np.float64) for name, value in fresh.items()}
        self._arrays = {name: value[None][:0] for name, value in self._fresh.items()}

    def __getitem__(self, name: str) -> FloatArray:
        return self._arrays[name]

    def grow(self, arms: int) -> None:
        """Begin the buckets up to number `arms`."""
        for name, array in self._arrays.items():
            fresh = np.repeat(self._fresh[name][None], arms - len(array), axis=0)
            self._arrays[name] = np.concatenate([array, fresh])

    def get(self, arm: int) -> dict[str, Any]:
        """One bucket's values, as JSON values."""
        return {name: array[arm].tolist() for name, array in self._arrays.items()}

    def put(self, arm: int, values: Mapping[str, Any]) -> None:
        """Restore what `get` returned."""
        for name, array in self._arrays.items():
            array[arm] = values[name]


class Bandit(ABC):
    """A rule over buckets; what it remembers of each is in `table`."""

    table: ArmTable

    @abstractmethod
    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        """The chance of each bucket to be drawn from, at least 0, of any sum above 0."""

    def observe(self, arm: int, success_G: Sequence[float]) -> None:  # noqa: B027
        """A group of a row of that bucket was graded."""

    def heldout(self, accuracy: float) -> None:  # noqa: B027
        """The policy was evaluated on held-out tasks."""

    def state_dict(self) -> dict[str, Any]:
        """What it remembers beyond the table, as JSON values."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:  # noqa: B027
        """Go on from what `state_dict` returned."""

    def metrics(self) -> dict[str, float]:
        """Numbers worth plotting."""
        return {}


class ArmSampler(Sampler):
    """Draws buckets by a bandit's chances and, in each, its available rows evenly.

    The engine's own exploration share is left out: the bandit has its own. Draws planned together
    are spread over the buckets in proportion (to within one draw), in random order.
    """

    explores: ClassVar[bool] = False

    def __init__(self, bandit: Bandit, by: By = "bucket") -> None:
        self.bandit = bandit
        self.buckets = Buckets(by)
        self._chance_A: FloatArray = np.empty(0)

    def add(self, rows: Sequence[Row]) -> None:
        self.buckets.add(rows)
        self.bandit.table.grow(len(self.buckets))

    def observe(self, group: Group) -> None:
        self.bandit.observe(int(self.buckets.arm_N[group.row]), group.success_G)

    def heldout(self, accuracy: float) -> None:
        self.bandit.heldout(accuracy)

    def select(self, n: int, view: View) -> Choice:
        open_A = self.buckets.count(view.available_N)
        if n == 0 or not open_A.any():
            return Choice(np.empty(0, np.int64), np.empty(0))
        self._chance_A = self.bandit.chances(view, self.buckets)
        arms_K, share_A = spread(self._chance_A, open_A, n, view.rng)
        order_K = np.argsort(arms_K, kind="stable")
        rows_K, propensity_K = np.full(len(arms_K), -1), np.zeros(len(arms_K))
        start = 0
        for arm, count in zip(*np.unique(arms_K, return_counts=True), strict=True):
            chosen = self.rows(int(arm), int(count), view)
            places = order_K[start : start + len(chosen.rows_K)]
            rows_K[places] = chosen.rows_K
            propensity_K[places] = share_A[arm] * chosen.propensity_K
            start += int(count)
        found_K = rows_K >= 0
        return Choice(rows_K[found_K], propensity_K[found_K])

    def rows(self, arm: int, n: int, view: View) -> Choice:
        """At most `n` available rows of one bucket, as if it were the whole pool."""
        rows_M = self.buckets.members(arm)
        rows_M = rows_M[view.available_N[rows_M]]
        rows_K = view.rng.choice(rows_M, n, replace=False, shuffle=False)
        return Choice(rows_K, np.full(n, 1.0 / len(rows_M)))

    def state_dict(self) -> dict[str, Any]:
        arms = [[*key, self.bandit.table.get(arm)] for arm, key in enumerate(self.buckets.keys)]
        return {"arms": arms, "bandit": self.bandit.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        for domain, level, values in state["arms"]:
            arm = self.buckets.find((domain, level))
            if arm is not None:
                self.bandit.table.put(arm, values)
        self.bandit.load_state_dict(state["bandit"])

    def metrics(self) -> dict[str, float]:
        chance_A = self._chance_A
        share_A = chance_A / chance_A.sum() if len(chance_A) else chance_A
        named = zip(self.buckets.keys, share_A.tolist(), strict=False)
        shares = {f"chance/{domain}/{level}": share for (domain, level), share in named}
        return shares | self.bandit.metrics()


def spread(
    chance_A: FloatArray, open_A: IntArray, n: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Buckets for `n` draws (fewer if there are fewer rows), and the share of each bucket.

    Systematic sampling: a bucket gets n x its share, rounded up or down at random so that the
    expectation is exact. What a bucket has no rows left for goes to the others in proportion; no
    open bucket's chance is below 1e-9 of the whole.
    """
    share_A = np.where(open_A > 0, chance_A + LEAST_CHANCE * chance_A.sum(), 0.0)
    share_A /= share_A.sum()
    count_A = np.zeros(len(open_A), np.int64)
    left = min(n, int(open_A.sum()))
    while left:
        edge_A = np.cumsum(np.where(count_A < open_A, share_A, 0.0))
        points_K = (rng.random() + np.arange(left)) / left * edge_A[-1]
        more_A = np.bincount(np.searchsorted(edge_A, points_K, "right"), minlength=len(open_A))
        count_A = np.minimum(count_A + more_A[: len(open_A)], open_A)
        left = min(n, int(open_A.sum())) - int(count_A.sum())
    return rng.permutation(np.repeat(np.arange(len(open_A)), count_A)), share_A


def softmax(logit_A: FloatArray) -> FloatArray:
    """exp(logit) / sum exp(logit)."""
    weight_A = np.exp(logit_A - logit_A.max())
    return np.asarray(weight_A / weight_A.sum())


def floored(chance_A: FloatArray, floor: float) -> FloatArray:
    """(1-floor) * chance + floor / A: a share of the draws is spread evenly over the buckets."""
    return np.asarray((1.0 - floor) * chance_A + floor / len(chance_A))
