"""A bandit over buckets, and another rule inside each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.arms import ArmSampler, Bandit
from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.bucket_bandit import BucketBandit, BucketBanditConfig
from curriculum_env.samplers.buckets import By
from curriculum_env.samplers.exp3s import Exp3s, Exp3sConfig
from curriculum_env.samplers.part import part_of
from curriculum_env.samplers.rules import RuleConfig, build_rule
from curriculum_env.samplers.sec import Sec, SecConfig
from curriculum_env.samplers.spread import by_bucket
from curriculum_env.samplers.survival import SurvivalConfig
from curriculum_env.samplers.tscl import Tscl, TsclConfig
from curriculum_env.samplers.view import View
from curriculum_env.types import Group, Row

BANDITS: dict[type[BaseConfig], Any] = {
    BucketBanditConfig: BucketBandit,
    TsclConfig: Tscl,
    Exp3sConfig: Exp3s,
    SecConfig: Sec,
}

OneBandit: TypeAlias = BucketBanditConfig | TsclConfig | Exp3sConfig | SecConfig


class CompositeConfig(BaseConfig):
    """Settings of `Composite`."""

    type: Literal["composite"] = "composite"
    """A bandit over buckets, another rule inside each."""
    over: Annotated[OneBandit, Field(discriminator="type")] = BucketBanditConfig()
    """The bandit: `bucket-bandit`, `tscl`, `exp3s` or `sec`, with its settings."""
    inside: RuleConfig = SurvivalConfig()
    """The rule inside a bucket, with its settings."""


class Composite(ArmSampler):
    """Each bucket has a rule of its own, which sees the rows of its bucket as if they were the
    whole pool; novelty and `pick` count inside."""

    def __init__(self, bandit: Bandit, by: By, inside: BaseConfig) -> None:
        super().__init__(bandit, by)
        self._inside = inside
        self._rules: list[Sampler] = []

    def add(self, rows: Sequence[Row]) -> None:
        before = len(self.buckets.arm_N)
        super().add(rows)
        while len(self._rules) < len(self.buckets):
            self._rules.append(build_rule(self._inside))
        arm_N = self.buckets.arm_N[before:]
        for arm, members in by_bucket(arm_N):
            self._rules[arm].add([rows[i] for i in members.tolist()])

    def observe(self, group: Group) -> None:
        super().observe(group)
        arm = int(self.buckets.arm_N[group.row])
        place = int(np.searchsorted(self.buckets.members(arm), group.row))
        self._rules[arm].observe(Group(group.draw, place, group.success_G, group.invalid))

    def heldout(self, accuracy: float) -> None:
        super().heldout(accuracy)
        for rule in self._rules:
            rule.heldout(accuracy)

    def rows(self, arm: int, n: int, view: View) -> Choice:
        rows_M = self.buckets.members(arm)
        chosen = self._rules[arm].select(n, part_of(view, rows_M))
        return Choice(rows_M[chosen.rows_K], chosen.propensity_K)

    def state_dict(self) -> dict[str, Any]:
        keyed = zip(self.buckets.keys, self._rules, strict=True)
        return super().state_dict() | {"rules": [[*key, rule.state_dict()] for key, rule in keyed]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        for domain, level, rule in state["rules"]:
            arm = self.buckets.find((domain, level))
            if arm is not None:
                self._rules[arm].load_state_dict(rule)


def build_bandit(config: OneBandit) -> ArmSampler:
    """The bandit that `config` describes, over the rows of each bucket alike."""
    return ArmSampler(BANDITS[type(config)](config), config.by)


def build_composite(config: CompositeConfig) -> Composite:
    """The bandit and the rules inside that `config` describes."""
    return Composite(BANDITS[type(config.over)](config.over), config.over.by, config.inside)
