"""Rollouts of earlier policies in TRL's batches: recent trajectories, and successes for groups in
which every rollout fails."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from curriculum_env.adapters.trl.advantages import within_group
from curriculum_env.adapters.trl.filling import PlayedGroup
from curriculum_env.adapters.trl.old_logps import OLD, with_old_logps
from curriculum_env.adapters.trl.rank_zero import from_rank_zero
from curriculum_env.adapters.trl.rollouts import Rollout
from curriculum_env.engine.state import load_state, save_state
from curriculum_env.errors import ConfigError
from curriculum_env.replay import (
    SuccessBuffer,
    SuccessConfig,
    Trajectory,
    TrajectoryBuffer,
    TrajectoryConfig,
)

MOST = 65_536
"""Trajectories kept at most, however long they may be replayed; the oldest go first."""


class Replay:
    """Both buffers, the same in every process. `groups` of a batch are replayed trajectories, once
    there are enough; each generation is trained on for `updates` updates."""

    def __init__(self, args: Any) -> None:
        batches = args.steps_per_generation * args.num_iterations
        self.updates = max(batches // args.gradient_accumulation_steps, 1)
        batch = args.generation_batch_size // args.num_generations
        self.groups = int(args.trajectory_replay * batch)
        self.trajectories = self.successes = None
        if args.trajectory_replay:
            self._check(args)
            self.trajectories = TrajectoryBuffer(
                TrajectoryConfig(
                    tau_max=args.trajectory_tau_max,
                    capacity=min(args.generation_batch_size * (args.trajectory_tau_max + 1), MOST),
                    seed=args.seed,
                )
            )
        if args.success_replay:
            self.successes = SuccessBuffer(SuccessConfig(seed=args.seed))

    def _check(self, args: Any) -> None:
        if self.groups < 1:
            raise ConfigError(
                f"trajectory_replay is {args.trajectory_replay}, less than one group of a batch; "
                "expected a larger share."
            )
        if args.trajectory_tau_max < self.updates:
            raise ConfigError(
                f"trajectory_tau_max is {args.trajectory_tau_max}, but each generation is trained "
                f"on for {self.updates} updates; expected at least as many."
            )

    def sample(self, version: int, size: int, multiple: int) -> list[Rollout]:
        """Rollouts of earlier policies that are not too old at the last update they are used in:
        whole groups' worth of `size`, in multiples of `multiple`."""
        if self.trajectories is None:
            return []
        self.trajectories.advance(version + self.updates - 1)
        unit = size * multiple
        wanted = self.groups * size // unit * unit
        found = self.trajectories.sample(wanted)
        return [replayed(one) for one in found[: len(found) // unit * unit]]

    def help(self, trainer: Any, groups: Sequence[PlayedGroup], version: int) -> None:
        """Put a success into each failing group whose task has one, and keep new successes."""
        if self.successes is None:
            return
        for group in groups:
            rewards_G = [float(one["rewards"][0]) for one in group.rollouts]
            if np.isnan(rewards_G).any():
                continue
            if (found := self.successes.inject(group.uid, rewards_G, version)) is not None:
                self._inject(trainer, group, found.position, found.trajectory)
        least = self.successes.config.min_reward
        fresh = [
            (group, one)
            for group in groups
            if not group.stale
            for one in group.rollouts
            if float(one["rewards"][0]) > least
        ]
        with_old_logps(trainer, [one for _, one in fresh])
        self.successes.add(trajectory(trainer, group, one, version) for group, one in fresh)

    def _inject(self, trainer: Any, group: PlayedGroup, place: int, success: Trajectory) -> None:
        rewards_F = torch.full_like(group.rollouts[place]["rewards"], torch.nan)
        rewards_F[0] = success.reward
        group.rollouts[place] = {**replayed(success), "rewards": rewards_F}
        group.success_G[place] = trainer._scale.success(success.reward) or 0.0
        group.stale = True
        rewards_GF = torch.stack([one["rewards"] for one in group.rollouts])
        advantages_G = within_group(trainer, rewards_GF)
        for one, advantage in zip(group.rollouts, advantages_G, strict=True):
            one["advantages"] = advantage

    def keep(self, trainer: Any, groups: Sequence[PlayedGroup], version: int) -> None:
        """Keep what the present policy sampled and the batch trains on."""
        if self.trajectories is not None:
            self.trajectories.add(
                trajectory(trainer, group, one, version)
                for group in groups
                if not group.stale
                for one in group.rollouts
                if one["advantages"] != 0 and one["completion_mask"].any()
            )

    def metrics(self) -> dict[str, float]:
        """Those of the buffers."""
        found: dict[str, float] = {}
        for name, buffer in self._buffers().items():
            found |= {f"curriculum/{name}/{key}": v for key, v in buffer.metrics().items()}
        return found

    def save(self, folder: Path) -> None:
        """Write the buffers."""
        for name, buffer in self._buffers().items():
            save_state(folder / name, buffer.state_dict())

    def load(self, folder: Path) -> None:
        """Read the buffers in the main process, for all."""
        for name, buffer in self._buffers().items():
            buffer.load_state_dict(from_rank_zero(partial(load_state, folder / name)))

    def _buffers(self) -> dict[str, Any]:
        both = {"trajectories": self.trajectories, "successes": self.successes}
        return {name: buffer for name, buffer in both.items() if buffer is not None}


def trajectory(trainer: Any, group: PlayedGroup, rollout: Rollout, version: int) -> Trajectory:
    """A rollout as the buffers keep it."""
    ids = rollout["completion_ids"]
    return Trajectory(
        uid=group.uid,
        token_T=ids.numpy(),
        logprob_T=rollout[OLD].double().numpy(),
        reward=float(rollout["rewards"][0].nan_to_num()),
        version=version,
        advantage=float(rollout["advantages"]),
        prompt_P=rollout["prompt_ids"].numpy(),
        prompt=group.prompt,
        completion=trainer._tokenizer.decode(ids, skip_special_tokens=True),
    )


def replayed(one: Trajectory) -> Rollout:
    """A kept rollout as a batch takes it."""
    asked, said = torch.from_numpy(one.prompt_P), torch.from_numpy(one.token_T)
    return {
        "prompt_ids": asked,
        "prompt_mask": torch.ones_like(asked),
        "completion_ids": said,
        "completion_mask": torch.ones_like(said),
        "advantages": torch.tensor(one.advantage),
        OLD: torch.from_numpy(one.logprob_T).float(),
        "old_logps": torch.tensor(one.logprob_T.sum(), dtype=torch.float32),
        "replayed": torch.tensor(1.0),
    }
