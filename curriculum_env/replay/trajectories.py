"""Recent trajectories for another update, none older than a bound."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.errors import ReplayError
from curriculum_env.replay.clip import CLIP, ClipShare
from curriculum_env.replay.state import check_state, state_of
from curriculum_env.replay.trajectory import Trajectory, unpack


class TrajectoryConfig(BaseConfig):
    """Settings of `TrajectoryBuffer`."""

    tau_max: int = Field(default=2, ge=0)
    """Policy updates after which a trajectory is never used again; 2 to 4 is common."""
    capacity: int = Field(default=4096, ge=1, le=1_000_000_000)
    """Trajectories kept at most; the oldest go first."""
    clip: float = Field(default=CLIP, gt=0, lt=1)
    """How far the policy ratio of a token may leave 1 before its gradient is cut off."""
    seed: int = Field(default=0, ge=0)
    """Seed of the random choice."""


class TrajectoryBuffer:
    """Keeps what the last `tau_max` policies sampled, for PPO with a clipped ratio.

        buffer.advance(version)             # the policy was updated
        old = buffer.sample(n)              # of earlier versions, at most tau_max ago
        buffer.add(fresh)                   # what the policy samples now
        buffer.observe_clip(clipped, tokens)  # what the loss found in the replayed tokens

    `clip_share` is the health figure: the share of replayed tokens without a gradient.
    """

    KIND = "trajectories"

    def __init__(self, config: TrajectoryConfig | None = None) -> None:
        self.config = config or TrajectoryConfig()
        self.version = 0
        self._kept: deque[Trajectory] = deque(maxlen=self.config.capacity)
        self._clip = ClipShare()
        self._sampled = self._evicted = self._refused = self._oldest_used = 0
        self._calls = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def clip_share(self) -> float:
        """The share of replayed tokens that clipping silenced, in [0, 1], over 64 updates."""
        return self._clip.share

    def advance(self, version: int) -> None:
        """The policy has had `version` updates: forget what is older than `tau_max` of them.

        Raises:
            ReplayError: the version is lower than the one before.
        """
        if version < self.version:
            raise ReplayError(
                f"the policy's version went from {self.version} back to {version}; expected it to "
                "rise: after a restart load the buffer's state of the same checkpoint"
            )
        self.version = version
        before = len(self._kept)
        alive = [one for one in self._kept if self._age(one) <= self.config.tau_max]
        if len(alive) < before:
            self._kept = deque(alive, maxlen=self.config.capacity)
            self._evicted += before - len(alive)

    def add(self, trajectories: Iterable[Trajectory]) -> int:
        """Keep those young enough, and return how many; the oldest make room.

        Raises:
            ReplayError: one is of a version that the policy does not have yet.
        """
        added = list(trajectories)
        for one in added:
            if one.version > self.version:
                raise ReplayError(
                    f"a trajectory is of version {one.version}, the policy at {self.version}; "
                    "expected advance(version) after each update, before add()"
                )
        young = [one for one in added if self._age(one) <= self.config.tau_max]
        self._refused += len(added) - len(young)
        self._evicted += max(len(self._kept) + len(young) - self.config.capacity, 0)
        self._kept.extend(young)
        return len(young)

    def sample(self, n: int) -> list[Trajectory]:
        """At most `n` distinct trajectories of earlier versions, all alike; what the present policy
        sampled is in the trainer's batch already."""
        earlier = [one for one in self._kept if 0 < self._age(one) <= self.config.tau_max]
        key = np.array([self.config.seed, self._calls], np.uint64)
        self._calls += 1
        rng = np.random.Generator(np.random.Philox(key=key))
        picked = rng.choice(len(earlier), min(n, len(earlier)), replace=False) if earlier else ()
        chosen = [earlier[index] for index in picked]
        self._sampled += len(chosen)
        self._oldest_used = max([self._oldest_used, *map(self._age, chosen)])
        return chosen

    def observe_clip(self, clipped: int, tokens: int) -> None:
        """One update trained on `tokens` replayed tokens, `clipped` of them without a gradient."""
        self._clip.observe(clipped, tokens)

    def metrics(self) -> dict[str, float]:
        """`size` now; `sampled`, `evicted` and `refused` (too old when added) in all; `age_mean`
        and `age_used_max` in policy updates; `clip_share`."""
        ages = [self._age(one) for one in self._kept]
        return {
            "size": len(ages),
            "sampled": self._sampled,
            "evicted": self._evicted,
            "refused": self._refused,
            "age_mean": sum(ages) / len(ages) if ages else 0.0,
            "age_used_max": self._oldest_used,
            "clip_share": self.clip_share,
        }

    def state_dict(self) -> dict[str, Any]:
        """JSON values, and NumPy `arrays`, as `curriculum_env.engine.save_state` takes them."""
        counts = [self._sampled, self._evicted, self._refused, self._oldest_used, self._calls]
        extra = {"policy": self.version, "counts": counts, "clip": self._clip.state_dict()}
        return state_of(self.KIND, list(self._kept), extra)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` returned.

        Raises:
            StateError: it is of another buffer or version, or damaged; nothing has changed then.
        """
        with check_state(self.KIND, state):
            kept = unpack(state["trajectories"], state["arrays"])
            sampled, evicted, refused, oldest, calls = map(int, state["counts"])
            clip = ClipShare()
            clip.load_state_dict(state["clip"])
            version = int(state["policy"])
        self._kept = deque(kept, maxlen=self.config.capacity)
        self._sampled, self._evicted, self._refused = sampled, evicted, refused
        self._oldest_used, self._calls, self._clip = oldest, calls, clip
        self.version = version
        self.advance(version)

    def _age(self, trajectory: Trajectory) -> int:
        return self.version - trajectory.version
