"""Which buckets and solved tasks have fallen, beyond chance, below their best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.recent import push
from curriculum_env.types import FloatArray, IntArray


def wilson(mean: float, count: float, z: float) -> tuple[float, float]:
    """Wilson's score interval (1927) of a rate seen as `mean` in `count` trials, `z` deviations."""
    scale = 1.0 / (1.0 + z * z / count)
    centre = scale * (mean + z * z / (2.0 * count))
    half = scale * z * sqrt(mean * (1.0 - mean) / count + z * z / (4.0 * count * count))
    return max(centre - half, 0.0), min(centre + half, 1.0)


def deviations(confidence: float) -> float:
    """How many standard deviations a central interval of that mass reaches out."""
    return NormalDist().inv_cdf((1.0 + confidence) / 2.0)


class BucketWatch:
    """The mean of each bucket's last `window` rewards against the best it ever was.

    A bucket is forgotten when that mean is more than `drop` below the best and the upper end of
    its interval is below the lower end of the best one's; it has recovered when its interval
    reaches the best again. The rollouts of one group are of one task and more alike than those of
    others: the window counts as so many rewards as its design effect leaves (`independent`).
    O(window) per group.
    """

    def __init__(self, window: int, drop: float, confidence: float) -> None:
        self._window, self._drop, self._z = window, drop, deviations(confidence)
        rings = {"rewards": np.zeros(window), "groups": np.zeros(window)}
        self.table = ArmTable(**rings, seen=0.0, best=-1.0, best_count=1.0, forgotten=0.0)

    @property
    def forgotten(self) -> IntArray:
        """The numbers of the forgotten buckets."""
        return np.flatnonzero(self.table["forgotten"])

    def observe(self, arm: int, success_G: Sequence[float]) -> bool:
        """Learn a group; True where the bucket has just been found forgotten."""
        table = self.table
        start = float(table["seen"][arm])
        push(table["groups"], table["seen"].copy(), arm, [start] * len(success_G))
        push(table["rewards"], table["seen"], arm, success_G)
        if table["seen"][arm] < self._window:
            return False
        mean, best = float(table["rewards"][arm].mean()), float(table["best"][arm])
        count = independent(table["rewards"][arm], table["groups"][arm])
        _, high = wilson(mean, count, self._z)
        if table["forgotten"][arm]:
            table["forgotten"][arm] = float(high < best)
            return False
        if mean > best:
            table["best"][arm], table["best_count"][arm] = mean, count
            return False
        best_low, _ = wilson(best, float(table["best_count"][arm]), self._z)
        fell = best - mean > self._drop and high < best_low
        table["forgotten"][arm] = float(fell)
        return fell


def independent(reward_W: FloatArray, group_W: IntArray) -> float:
    """The independent rewards that rewards in groups are worth: their number over the design effect
    (Kish 1965), the variance of the mean over that of as many independent ones; at least the number
    of groups, at most that of rewards."""
    _, member_W = np.unique(group_W, return_inverse=True)
    off_G = np.bincount(member_W, reward_W - reward_W.mean())
    variance = float(((reward_W - reward_W.mean()) ** 2).sum())
    if not variance:
        return float(len(reward_W))
    effect = float((off_G**2).sum()) / variance
    return len(reward_W) / min(max(effect, 1.0), len(reward_W) / len(off_G))


class TaskWatch:
    """Tasks that every rollout solved, at least `solved` rollouts in a row, and no longer solves.

    A solved task is forgotten when the rollouts since it was last solved lie more than `drop` below
    1 and their interval is below that of the run; a group that solves it again is its recovery.
    """

    def __init__(self, solved: int, drop: float, confidence: float) -> None:
        self._solved, self._drop, self._z = solved, drop, deviations(confidence)
        self._run: dict[int, int] = {}
        self._since: dict[int, tuple[float, int]] = {}
        self.forgotten: set[int] = set()

    def observe(self, row: int, success_G: Sequence[float]) -> bool:
        """Learn a group; True where the task has just been found forgotten."""
        if min(success_G) >= 1.0:
            self._run[row] = self._run.get(row, 0) + len(success_G)
            self._since.pop(row, None)
            self.forgotten.discard(row)
            return False
        run = self._run.get(row, 0)
        if run < self._solved:
            self._run.pop(row, None)
            return False
        passes, rollouts = self._since.get(row, (0.0, 0))
        passes, rollouts = passes + float(sum(success_G)), rollouts + len(success_G)
        self._since[row] = passes, rollouts
        fell = row not in self.forgotten and self._fell(run, passes / rollouts, rollouts)
        if fell:
            self.forgotten.add(row)
        return fell

    def _fell(self, run: int, mean: float, rollouts: int) -> bool:
        _, high = wilson(mean, rollouts, self._z)
        low, _ = wilson(1.0, run, self._z)
        return 1.0 - mean > self._drop and high < low

    def state_dict(self, uids: Sequence[str]) -> dict[str, Any]:
        return {
            "run": [[uids[row], run] for row, run in self._run.items()],
            "since": [[uids[row], *since] for row, since in self._since.items()],
            "forgotten": [uids[row] for row in sorted(self.forgotten)],
        }

    def load_state_dict(self, state: Mapping[str, Any], row: Mapping[str, int]) -> None:
        self._run = {row[uid]: run for uid, run in state["run"] if uid in row}
        self._since = {row[uid]: (k, n) for uid, k, n in state["since"] if uid in row}
        self.forgotten = {row[uid] for uid in state["forgotten"] if uid in row}
