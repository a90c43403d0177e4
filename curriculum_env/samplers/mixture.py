"""Domains by quota and floor, and a rule inside each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.errors import ConfigError
from curriculum_env.samplers.arm_table import ArmTable
from curriculum_env.samplers.arms import Bandit
from curriculum_env.samplers.buckets import Buckets
from curriculum_env.samplers.composite import Composite
from curriculum_env.samplers.rules import RuleConfig
from curriculum_env.samplers.survival import SurvivalConfig
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, Row

Rest = Literal["even", "rows", "signal"]


class MixtureConfig(BaseConfig):
    """Settings of `Mixture`."""

    type: Literal["mixture"] = "mixture"
    """Domains by quota and floor, a rule inside each."""
    quotas: dict[str, float] = Field(default_factory=dict)
    """Share of the draws of each domain that has a fixed one."""
    rest: Rest = "even"
    """How the other domains divide what the quotas leave: evenly, by their number of rows, or by
    the mean chance of their rows that a group lives."""
    floor: float = Field(default=0.05, ge=0, le=1)
    """Least share of any domain (all alike, where there are too many for it); it comes before the
    quotas."""
    inside: RuleConfig = SurvivalConfig()
    """The rule inside a domain, with its settings."""

    @model_validator(mode="after")
    def _quotas_are_shares(self) -> Self:
        shares = self.quotas.values()
        if any(not 0.0 <= share <= 1.0 for share in shares) or sum(shares) > 1.0 + 1e-9:
            raise ValueError(
                f"mixture.quotas are {self.quotas}; expected shares from 0 to 1 whose sum is at "
                "most 1: lower them"
            )
        return self


class Shares(Bandit):
    """Quotas first, the remainder as `rest` says (to the quotas' domains in proportion, where
    there are no others), then each share raised to the floor at the cost of the others in
    proportion."""

    def __init__(self, config: MixtureConfig) -> None:
        self.config = config
        self.table = ArmTable()

    def chances(self, view: View, buckets: Buckets) -> FloatArray:
        quota_A = np.array([self.config.quotas.get(domain, -1.0) for domain, _ in buckets.keys])
        free_A = quota_A < 0.0
        rest_A = np.where(free_A, self._rest(view, buckets), 0.0)
        if rest_A.sum() <= 0.0:
            rest_A = free_A.astype(np.float64)
        left = max(1.0 - float(quota_A[~free_A].sum()), 0.0)
        share_A = np.where(free_A, left * rest_A / max(rest_A.sum(), 1e-300), quota_A)
        total = float(share_A.sum())
        return at_least(share_A / total if total else np.ones(len(share_A)), self.config.floor)

    def _rest(self, view: View, buckets: Buckets) -> FloatArray:
        rows_A = np.bincount(buckets.arm_N, minlength=len(buckets)).astype(np.float64)
        if self.config.rest == "rows":
            return rows_A
        if self.config.rest == "even":
            return np.ones(len(buckets))
        survival_N = view.estimator.survival(max(view.group_size, 2))
        return np.bincount(buckets.arm_N, survival_N, len(buckets)) / np.maximum(rows_A, 1.0)


class Mixture(Composite):
    """Draws domains by `Shares`, exactly (to within one draw per planned batch), and rows by the
    rule inside.

    Raises:
        ConfigError: a quota is given to a domain that no row has.
    """

    def __init__(self, config: MixtureConfig | None = None) -> None:
        self.config = config or MixtureConfig()
        super().__init__(Shares(self.config), "domain", self.config.inside)

    def add(self, rows: Sequence[Row]) -> None:
        super().add(rows)
        domains = {domain for domain, _ in self.buckets.keys}
        unknown = sorted(set(self.config.quotas) - domains)
        if unknown and domains:
            raise ConfigError(
                f"sampler.quotas names {', '.join(map(repr, unknown))}; expected domains of the "
                f"pool ({', '.join(map(repr, sorted(domains)))}): correct the name"
            )


def at_least(share_A: FloatArray, floor: float) -> FloatArray:
    """Shares of sum 1, none below `floor` (at most 1/A), the others kept in proportion."""
    floor = min(floor, 1.0 / len(share_A))
    low_A = share_A < floor
    while True:
        others = float(share_A[~low_A].sum())
        left = 1.0 - floor * int(low_A.sum())
        raised_A = np.where(low_A, floor, share_A * (left / others if others else 0.0))
        below_A = raised_A < floor - 1e-12
        if not below_A.any():
            return np.asarray(raised_A / raised_A.sum())
        low_A |= below_A
