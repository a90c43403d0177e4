"""Successes kept per task, for groups in which every rollout fails."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.replay.export import write_sft
from curriculum_env.replay.state import check_state, state_of
from curriculum_env.replay.trajectory import Trajectory, unpack


class SuccessConfig(BaseConfig):
    """Settings of `SuccessBuffer`."""

    per_task: int = Field(default=8, ge=1)
    """Successes kept of one task; the oldest go first."""
    min_reward: float = 0.1
    """Reward above which a rollout is a success."""
    dead_std: float = Field(default=0.05, ge=0)
    """Standard deviation below which the rewards of a group count as alike."""
    dead_mean: float = 0.2
    """Mean reward below which a group of like rewards is failing."""
    tau_max: int | None = Field(default=None, ge=0)
    """Policy updates after which a success is not injected any more; unset, never: a task that
    fails now may have been solved long ago."""
    capacity: int = Field(default=16_384, ge=1)
    """Successes kept of all tasks together; the oldest go first."""
    seed: int = Field(default=0, ge=0)
    """Seed of the random choice."""


class Injection(NamedTuple):
    """Put `trajectory` in the place of rollout number `position` of the group."""

    position: int
    trajectory: Trajectory


class SuccessBuffer:
    """A first-in, first-out queue of successes for each task (ARPO, arXiv 2505.16282; RLEP, arXiv
    2507.07451). One of them goes into a group that is dead and failing, so that it has a gradient:

        if found := buffer.inject(uid, reward_G, version):
            rollouts_G[found.position] = found.trajectory
        buffer.add(fresh)

    It is off-policy by as many updates as it is old: train it with a clipped ratio.
    """

    KIND = "successes"

    def __init__(self, config: SuccessConfig | None = None) -> None:
        self.config = config or SuccessConfig()
        self._kept: OrderedDict[int, Trajectory] = OrderedDict()
        self._of_task: dict[str, deque[int]] = {}
        self._next = self._injected = self._dead = self._calls = 0

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, uid: str) -> list[Trajectory]:
        """The successes of one task, the oldest first."""
        return [self._kept[number] for number in self._of_task.get(uid, ())]

    def add(self, trajectories: Iterable[Trajectory]) -> int:
        """Keep those whose reward is above `min_reward`, and return how many."""
        kept = [one for one in trajectories if one.reward > self.config.min_reward]
        for one in kept:
            queue = self._of_task.setdefault(one.uid, deque())
            if len(queue) == self.config.per_task:
                del self._kept[queue.popleft()]
            queue.append(self._next)
            self._kept[self._next] = one
            self._next += 1
            if len(self._kept) > self.config.capacity:
                self._forget_oldest()
        return len(kept)

    def failing(self, reward_G: Sequence[float]) -> bool:
        """Whether a group is dead (std < `dead_std`) and failing (mean < `dead_mean`)."""
        if not len(reward_G):
            return False
        reward = np.asarray(reward_G, np.float64)
        dead = float(reward.std()) < self.config.dead_std
        return dead and float(reward.mean()) < self.config.dead_mean

    def inject(self, uid: str, reward_G: Sequence[float], version: int) -> Injection | None:
        """A success of the task, at random, for the rollout of the lowest reward, where the group
        is dead and failing and there is one; `version` is the policy's now."""
        if not self.failing(reward_G):
            return None
        self._dead += 1
        oldest = 0 if self.config.tau_max is None else version - self.config.tau_max
        usable = [one for one in self.of(uid) if one.version >= oldest]
        if not usable:
            return None
        key = np.array([self.config.seed, self._calls], np.uint64)
        self._calls += 1
        pick = np.random.Generator(np.random.Philox(key=key)).integers(len(usable))
        self._injected += 1
        return Injection(int(np.argmin(reward_G)), usable[pick])

    def export(self, path: str | Path) -> int:
        """Write every success as a Parquet file for supervised fine-tuning; returns their number.

        Columns: `prompt`, `completion` and `messages` (both together), each a list of messages with
        `role` and `content`; `uid`, `reward`, `version`.

        Raises:
            ReplayError: a success has no text, there is none, or the file cannot be written.
        """
        return write_sft(list(self._kept.values()), Path(path))

    def metrics(self) -> dict[str, float]:
        """`size` and `tasks` now; `dead_groups` seen failing and `injected` in all."""
        return {
            "size": len(self._kept),
            "tasks": len(self._of_task),
            "dead_groups": self._dead,
            "injected": self._injected,
        }

    def state_dict(self) -> dict[str, Any]:
        """JSON values, and NumPy `arrays`, as `curriculum_env.engine.save_state` takes them."""
        counts = [self._dead, self._injected, self._calls]
        return state_of(self.KIND, list(self._kept.values()), {"counts": counts})

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned.

        Raises:
            StateError: it is of another buffer or version, or damaged; nothing has changed then.
        """
        with check_state(self.KIND, state):
            kept = unpack(state["trajectories"], state["arrays"])
            dead, injected, calls = map(int, state["counts"])
        self._kept, self._of_task, self._next = OrderedDict(), {}, 0
        self.add(kept)
        self._dead, self._injected, self._calls = dead, injected, calls

    def _forget_oldest(self) -> None:
        _, oldest = self._kept.popitem(last=False)
        queue = self._of_task[oldest.uid]
        queue.popleft()
        if not queue:
            del self._of_task[oldest.uid]
