"""A rule, and a share of the draws for what is being forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.buckets import Buckets, By
from curriculum_env.samplers.composite import (
    CompositeConfig,
    OneBandit,
    build_bandit,
    build_composite,
)
from curriculum_env.samplers.mixture import Mixture, MixtureConfig
from curriculum_env.samplers.rules import Rule, build_rule
from curriculum_env.samplers.survival import SurvivalConfig
from curriculum_env.samplers.view import View
from curriculum_env.samplers.watch import BucketWatch, TaskWatch
from curriculum_env.types import Group, IntArray, Row

Guarded: TypeAlias = Rule | OneBandit | CompositeConfig | MixtureConfig


class ForgettingConfig(BaseConfig):
    """Settings of `Forgetting`."""

    type: Literal["forgetting"] = "forgetting"
    """A rule, and a share of the draws for what is being forgotten."""
    by: By = "bucket"
    """What makes a bucket: domain and level together, or one of them."""
    window: int = Field(default=100, ge=8)
    """Rewards of a bucket whose mean is compared with the best such mean."""
    drop: float = Field(default=0.1, gt=0, lt=1)
    """How far below its best a bucket, or a solved task, must fall."""
    confidence: float = Field(default=0.999, gt=0, lt=1)
    """Mass of the intervals that must not touch, so that chance is excluded."""
    solved: int = Field(default=16, ge=1)
    """Rollouts of a task, all successful and in a row, after which it counts as solved."""
    share: float = Field(default=0.2, gt=0, lt=1)
    """Share of the draws that goes to what is forgotten, until it has recovered."""
    inside: Annotated[Guarded, Field(discriminator="type")] = SurvivalConfig()
    """The rule for the other draws, with its settings."""


class Forgetting(Sampler):
    """While any bucket or solved task is forgotten (`BucketWatch`, `TaskWatch`), a share of the
    draws goes there: forgotten tasks first, at most half where there are forgotten buckets too,
    then rows of the forgotten buckets, evenly."""

    def __init__(self, config: ForgettingConfig, inside: Sampler) -> None:
        self.config, self.inside = config, inside
        self.buckets = Buckets(config.by)
        self.watch = BucketWatch(config.window, config.drop, config.confidence)
        self.tasks = TaskWatch(config.solved, config.drop, config.confidence)
        self.alarms = 0
        self._uids: list[str] = []

    def add(self, rows: Sequence[Row]) -> None:
        self.inside.add(rows)
        self.buckets.add(rows)
        self.watch.table.grow(len(self.buckets))
        self._uids.extend(row.uid for row in rows)

    def observe(self, group: Group) -> None:
        self.inside.observe(group)
        arm = int(self.buckets.arm_N[group.row])
        self.alarms += self.watch.observe(arm, group.success_G)
        self.alarms += self.tasks.observe(group.row, group.success_G)

    def heldout(self, accuracy: float) -> None:
        self.inside.heldout(accuracy)

    def select(self, n: int, view: View) -> Choice:
        tasks_M, buckets_M = self._forgotten(view)
        if n == 0 or not len(tasks_M) + len(buckets_M):
            return self.inside.select(n, view)
        share = self.config.share
        replays = int(n * share + view.rng.random())
        few = min(replays, len(tasks_M), (replays + 1) // 2 if len(buckets_M) else replays)
        rows_K = np.concatenate([
            view.rng.choice(tasks_M, few, replace=False),
            view.rng.choice(buckets_M, min(replays - few, len(buckets_M)), replace=False),
        ])  # fmt: skip
        available_N = view.available_N.copy()
        available_N[rows_K] = False
        rest = self.inside.select(n - len(rows_K), replace(view, available_N=available_N))
        chance = share / (len(tasks_M) + len(buckets_M))
        chance_K = np.full(len(rows_K), chance)
        turn_K = view.rng.permutation(len(rows_K) + len(rest.rows_K))
        propensity_K = np.concatenate([chance_K, (1.0 - share) * rest.propensity_K])
        return Choice(np.concatenate([rows_K, rest.rows_K])[turn_K], propensity_K[turn_K])

    def _forgotten(self, view: View) -> tuple[IntArray, IntArray]:
        """The available forgotten tasks, and the other available rows of forgotten buckets."""
        tasks_M = np.array(sorted(self.tasks.forgotten), np.int64)
        tasks_M = tasks_M[view.available_N[tasks_M]]
        members = [self.buckets.members(arm) for arm in self.watch.forgotten.tolist()]
        buckets_M = np.concatenate(members) if members else np.empty(0, np.int64)
        buckets_M = np.setdiff1d(buckets_M[view.available_N[buckets_M]], tasks_M)
        return tasks_M, buckets_M

    def state_dict(self) -> dict[str, Any]:
        arms = [[*key, self.watch.table.get(arm)] for arm, key in enumerate(self.buckets.keys)]
        return {
            "arms": arms,
            "tasks": self.tasks.state_dict(self._uids),
            "alarms": self.alarms,
            "inside": self.inside.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        for domain, level, values in state["arms"]:
            arm = self.buckets.find((domain, level))
            if arm is not None:
                self.watch.table.put(arm, values)
        self.tasks.load_state_dict(state["tasks"], {u: i for i, u in enumerate(self._uids)})
        self.alarms = state["alarms"]
        self.inside.load_state_dict(state["inside"])

    def metrics(self) -> dict[str, float]:
        return {
            "forgotten_buckets": len(self.watch.forgotten),
            "forgotten_tasks": len(self.tasks.forgotten),
            "forgetting_alarms": self.alarms,
            **self.inside.metrics(),
        }


class _Settled(Forgetting):
    """Around a rule that is left without the engine's exploration share."""

    explores: ClassVar[bool] = False


def build_forgetting(config: ForgettingConfig) -> Forgetting:
    """The guard that `config` describes, around its rule."""
    inside = _build(config.inside)
    return (Forgetting if inside.explores else _Settled)(config, inside)


def _build(config: Guarded) -> Sampler:
    if isinstance(config, CompositeConfig):
        return build_composite(config)
    if isinstance(config, MixtureConfig):
        return Mixture(config)
    return build_bandit(config) if isinstance(config, OneBandit) else build_rule(config)
