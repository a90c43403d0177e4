"""Bandits over buckets: what they promise, and how their chances become rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.spread import by_bucket, spread
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, Group, Row

_SHOWN = 32


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
        rows_K, propensity_K = np.full(len(arms_K), -1), np.zeros(len(arms_K))
        for arm, places in by_bucket(arms_K):
            chosen = self.rows(arm, len(places), view)
            places = places[: len(chosen.rows_K)]
            rows_K[places] = chosen.rows_K
            propensity_K[places] = share_A[arm] * chosen.propensity_K
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
        chance_A, shares = self._chance_A, {}
        if 0 < len(chance_A) <= _SHOWN:
            named = zip(self.buckets.keys, (chance_A / chance_A.sum()).tolist(), strict=False)
            shares = {f"chance/{domain}/{level}": share for (domain, level), share in named}
        return shares | self.bandit.metrics()
