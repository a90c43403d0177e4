"""What a training run measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple, Self

from curriculum_env.sim.play import Play


class Point(NamedTuple):
    """Where training stood: rollouts, optimizer steps and seconds of one core spent so far
    (evaluations left out); the chance that an answer sampled for a held-out problem is right,
    exactly, and that of the worst rung."""

    rollouts: int
    steps: int
    seconds: float
    accuracy: float
    worst: float


@dataclass(frozen=True, slots=True)
class Training:
    """What one run measured."""

    entrant: str
    pool: str
    seed: int
    curve: tuple[Point, ...]
    rungs: dict[str, float]
    """Accuracy at the end by rung: the sums whose longer operand has so many digits."""
    rho: float
    distinct: int
    effective: float
    wasted: float
    """Share of the rollouts that were in groups all alike."""
    outages: int
    variants: int = 0
    """New tasks in the pool at the end, where variants were made."""
    variant_share: float = 0.0
    """Share of the draws that were of these."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """The run that `asdict` and JSON made `kept` of; what else it holds is left out."""
        values = {name: kept[name] for name in cls.__dataclass_fields__ if name in kept}
        values["curve"] = tuple(Point(*point) for point in values["curve"])
        return cls(**values)

    def play(self, axis: str = "rollouts") -> Play:
        """The run as the lab judges it, over rollouts, steps or seconds."""
        curve = tuple((getattr(p, axis), p.accuracy, p.worst) for p in self.curve)
        return Play(
            self.entrant, self.pool, self.seed, curve, self.rho, self.distinct, self.effective,
            self.wasted, 0.0, self.outages, self.variants, self.variant_share,
        )  # fmt: skip

    @property
    def final(self) -> float:
        """The accuracy at the end: the mean of the last three evaluations."""
        return fmean(point.accuracy for point in self.curve[-3:])
