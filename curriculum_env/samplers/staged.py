"""Tier after tier, from easy to hard."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.errors import ConfigError
from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.difficulty import level_ranks
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import evenly, joined, scaled, shuffled
from curriculum_env.types import Group, Row


class StagedConfig(BaseConfig):
    """Settings of `Staged`."""

    type: Literal["staged"] = "staged"
    """Tier after tier, from easy to hard."""
    by: Literal["level", "prior"] = "level"
    """What sorts rows into tiers: their level, or their offline pass rate."""
    order: list[str] | None = None
    """The levels from easy to hard; unset, they are sorted as numbers and words."""
    tiers: int = Field(default=5, ge=2)
    """Equal intervals of the offline pass rate, for `by = "prior"`."""
    advance: Literal["threshold", "schedule"] = "threshold"
    """When to move on: at a pass rate of the current tier, or after a number of batches."""
    threshold: float = Field(default=0.7, gt=0, le=1)
    """Pass rate of the tier's last `window` groups at which to move on."""
    window: int = Field(default=64, ge=1)
    """Groups of the tier that the pass rate is taken over; none moves on with fewer."""
    steps: int = Field(default=50, ge=1)
    """Batches in each tier, for `advance = "schedule"`."""
    overlap: float = Field(default=0.2, ge=0, lt=1)
    """Share of the draws that stays with the tier before."""
    batch: int = Field(default=64, ge=1)
    """Groups in a batch."""


class Staged(Sampler):
    """Rows of the current tier alike, a share `overlap` from the tier before, so that the switch
    is not abrupt and what was learned is not lost (chapter on curricula: staged difficulty,
    sorted offline). When both run out of available rows, the tiers next to the current one fill
    in. The last tier stays.

    Raises:
        ConfigError: a row has no level, or (`by = "prior"`) no offline rollouts.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: StagedConfig | None = None) -> None:
        self.config = config or StagedConfig()
        self.tier = 0
        self._groups = 0
        self._recent: deque[float] = deque(maxlen=self.config.window)
        self._labels: list[str] = []
        self._names: list[str] = []
        self.tier_N = np.empty(0, np.int64)

    def add(self, rows: Sequence[Row]) -> None:
        current = self._names[self.tier] if self._names else None
        self._labels.extend(self._label(row) for row in rows)
        ranks = level_ranks(set(self._labels), self._listed())
        self._names = sorted(ranks, key=ranks.__getitem__)
        place = {name: i for i, name in enumerate(self._names)}
        self.tier_N = np.array([place[label] for label in self._labels], dtype=np.int64)
        self.tier = place[current] if current is not None else 0

    def _label(self, row: Row) -> str:
        """The name of the row's tier."""
        if self.config.by == "level":
            if row.level:
                return row.level
            raise ConfigError(
                f"row {row.uid} has no level; expected one in every row for a staged sampler: "
                "add it, or set sampler.by = 'prior'"
            )
        if row.prior_attempts > 0:
            count, rate = self.config.tiers, row.prior_passes / row.prior_attempts
            return str(count - 1 - min(int(rate * count + 1e-9), count - 1))
        raise ConfigError(
            f"row {row.uid} has no offline rollouts; expected prior_attempts > 0 in every row for "
            "sampler.by = 'prior': estimate it first, or set sampler.by = 'level'"
        )

    def _listed(self) -> list[str] | None:
        return self.config.order if self.config.by == "level" else None

    def observe(self, group: Group) -> None:
        self._groups += 1
        if self.config.advance == "schedule":
            due = self._groups // (self.config.steps * self.config.batch)
            self.tier = min(due, len(self._names) - 1)
        elif self.tier_N[group.row] == self.tier:
            self._recent.append(sum(group.success_G) / len(group.success_G))
            self._advance_if_solved()

    def _advance_if_solved(self) -> None:
        full = len(self._recent) == self.config.window
        solved = full and self.pass_rate >= self.config.threshold
        if solved and self.tier < len(self._names) - 1:
            self.tier += 1
            self._recent.clear()

    @property
    def pass_rate(self) -> float:
        """Of the last groups of the current tier; 0 before the first."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def select(self, n: int, view: View) -> Choice:
        before = int((view.rng.random(n) < self.config.overlap).sum()) if self.tier else 0
        share = self.config.overlap if self.tier else 0.0
        chosen = joined(
            scaled(self._from(self.tier - 1, before, view), share or 1.0),
            scaled(self._from(self.tier, n - before, view), 1.0 - share),
        )
        for tier in self._nearest_first():
            missing = n - len(chosen.rows_K)
            if missing:
                chosen = joined(chosen, self._from(tier, missing + len(chosen.rows_K), view))
                chosen = Choice(chosen.rows_K[:n], chosen.propensity_K[:n])
        return shuffled(chosen, view)

    def _from(self, tier: int, n: int, view: View) -> Choice:
        return evenly(np.flatnonzero(view.available_N & (self.tier_N == tier)), n, view)

    def _nearest_first(self) -> list[int]:
        return sorted(range(len(self._names)), key=lambda tier: (abs(tier - self.tier), tier))

    def state_dict(self) -> dict[str, Any]:
        name = self._names[self.tier] if self._names else None
        return {"tier": name, "groups": self._groups, "recent": list(self._recent)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._groups = state["groups"]
        if state["tier"] in self._names:
            self.tier = self._names.index(state["tier"])
        self._recent.clear()
        self._recent.extend(state["recent"])

    def metrics(self) -> dict[str, float]:
        return {"tier": float(self.tier), "tier_pass_rate": self.pass_rate}
