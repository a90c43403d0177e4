"""Every setting of a curriculum. The names are part of the contract."""

from __future__ import annotations

import math
from typing import Literal, Self, TypeAlias

from pydantic import Field, FiniteFloat, model_validator
from pydantic_config import BaseConfig

from curriculum_env.augment_config import AugmentConfig
from curriculum_env.estimators import EstimatorConfig, IrtConfig
from curriculum_env.gates import GateConfig, VarianceConfig
from curriculum_env.samplers import Pick, SamplerConfig
from curriculum_env.samplers.gain import GainConfig

Resume: TypeAlias = Literal["continue", "warm", "never"]


class OutageConfig(BaseConfig):
    """When rewards are not to be believed."""

    enabled: bool = True
    """Whether to look for outages at all."""
    error_share: float = Field(default=0.5, gt=0, le=1)
    """Share of failed rollouts among the last `error_window` that is an outage."""
    error_window: int = Field(default=32, ge=4)
    """Rollouts looked back on for the share of failed ones."""
    significance: float = Field(default=1e-6, gt=0, lt=1)
    """How unlikely, by the run's own share of failed groups, an unbroken run of them must be."""
    recovery: int = Field(default=3, ge=1)
    """Distinct rows that must score again before the outage is over."""
    patience: int = Field(default=4096, ge=1)
    """Graded rollouts without a success after which an outage is taken for the policy's own
    failure."""
    memory: int = Field(default=1024, ge=16)
    """Groups that can be undone."""


class GenerateConfig(BaseConfig):
    """How a source that can make new rows is used."""

    share: float = Field(default=0.5, ge=0, le=1)
    """Share of the draws that goes to new rows."""
    candidates: int = Field(default=8, ge=1)
    """Candidates looked at for each one that becomes a row: those with the most signal do, as it
    is predicted for them (`pick` says how)."""


class CurriculumConfig(BaseConfig):
    """Read on the client side only: the workers never see it."""

    group_size: int | None = Field(default=None, ge=1)
    """Rollouts per draw; unset, it is inferred from the outcomes."""
    seed: int = Field(default=0, ge=0)
    """Seed of every random choice."""
    resume: Resume = "continue"
    """What to do with a store that holds draws: replay them first, keep only the beliefs
    (discounted), or refuse."""
    warm_discount: float = Field(default=0.5, ge=0, le=1)
    """Share of the beliefs kept by `resume = "warm"`."""
    explore: float = Field(default=0.05, ge=0, le=1)
    """Share of the draws that goes to the least-known rows."""
    probe: float = Field(default=0.2, ge=0, le=1)
    """Share of these that goes to any available row alike instead: what the pass rate of the whole
    pool is estimated from."""
    novelty: float = Field(default=0.7, gt=0, le=1)
    """Weight of a row per earlier visit."""
    pick: Pick = "stratified"
    """Buckets (domain and level together) in proportion to the weight of their rows and in each the
    highest first, or rows in proportion to their weight, or the highest first."""
    cooldown: int | None = Field(default=None, ge=0)
    """Draws before a row may come back; unset, a sixteenth of the pool, a quarter with `pick =
    "top"`, and at most 4,096."""
    max_reuse: int | None = Field(default=None, ge=1)
    """Draws of one row after which it is retired; unset, never."""
    refresh: int | None = Field(default=None, ge=1)
    """Draws chosen at a time; unset, 1/64 of the pool, at least 4 and at most 6,144."""
    lease_draws: int | None = Field(default=None, ge=1)
    """Further draws after which an unfinished group is given up; unset, 4,096."""
    lease_seconds: float | None = Field(default=3600.0, gt=0)
    """Seconds after which an unfinished group is given up; unset, never."""
    batch_groups: int = Field(default=64, ge=1)
    """Groups in one policy update: the clock by which beliefs age."""
    reward_range: tuple[float, float] = (0.0, 1.0)
    """The least and the greatest reward; successes are rescaled to it."""
    invalid_reward: FiniteFloat = -1.0
    """The reward of an answer that could not be graded: outside the range, a plain failure."""
    success_threshold: FiniteFloat | None = None
    """Reward from which a rollout counts as a success; unset, success is the rescaled reward."""
    sampler: SamplerConfig = GainConfig()
    """The rule that picks rows."""
    estimator: EstimatorConfig = IrtConfig()
    """The beliefs about pass rates."""
    gate: GateConfig = VarianceConfig()
    """Which groups count as living."""
    generate: GenerateConfig = GenerateConfig()
    """New rows, where the source of the pool can make them."""
    augment: AugmentConfig = AugmentConfig()
    """New tasks made from those that the policy sometimes solves."""
    outage: OutageConfig = OutageConfig()
    """When rewards are not to be believed."""

    @model_validator(mode="after")
    def _finite_range(self) -> Self:
        low, high = self.reward_range
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(
                f"reward_range is [{low}, {high}]; expected two finite numbers, the smaller first"
            )
        return self

    def in_range(self, reward: float) -> bool:
        """Whether a reward is the invalid one, or finite and in `reward_range`."""
        low, high = self.reward_range
        return low <= reward <= high or reward == self.invalid_reward
