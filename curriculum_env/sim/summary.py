"""What the runs of a lab say, paired by seed, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from curriculum_env.sim.entrants import UNIFORM
from curriculum_env.sim.play import Play
from curriculum_env.types import FloatArray

_RESAMPLES = 2000
BySeed = Mapping[int, Play]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over seeds, and the interval that holds 95% of its bootstrap."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Line:
    """One entrant in one setting, means over seeds.

    The target of a seed is the accuracy uniform drawing ends with; `vs_uniform` is the rollouts
    to it, over those uniform needs. An entrant that never reaches the target counts as having
    needed the whole budget, which flatters it: `reached` is the share of seeds that got there.
    """

    setting: str
    entrant: str
    seeds: int
    vs_uniform: Interval
    reached: float
    area: float
    final: float
    gained: Interval
    """Accuracy at the end above uniform's."""
    worst_domain_delta: Interval
    """Accuracy of the worst domain at the end above that of uniform's worst."""
    rho: float
    distinct: float
    effective: float
    wasted: float
    draw_us: float
    outages: float
    """How often the engine took failures for an outage, per run; each one is a false alarm."""


def bootstrap(values: Sequence[float] | FloatArray) -> Interval:
    """The mean of the values, and the central 95% of its bootstrap over them (2,000 resamples,
    always the same ones)."""
    values_S = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(0)
    means = values_S[rng.integers(len(values_S), size=(_RESAMPLES, len(values_S)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975]).tolist()
    return Interval(float(values_S.mean()), low, high)


class Standings:
    """The runs by setting and entrant.

    Raises:
        ValueError: a setting lacks uniform drawing on one of its seeds.
    """

    def __init__(self, plays: Iterable[Play]) -> None:
        self._plays: dict[str, dict[str, dict[int, Play]]] = {}
        for found in plays:
            by_entrant = self._plays.setdefault(found.setting, {})
            by_entrant.setdefault(found.entrant, {})[found.seed] = found
        self._needed = {
            (setting, name): self._rollouts(by_entrant[UNIFORM], by_seed)
            for setting, by_entrant in self._plays.items()
            for name, by_seed in by_entrant.items()
        }

    @property
    def settings(self) -> list[str]:
        return list(self._plays)

    def plays(self, setting: str) -> Mapping[str, BySeed]:
        """The runs of a setting by entrant and seed."""
        return self._plays[setting]

    def lines(self, setting: str) -> list[Line]:
        """One line for each entrant, the fewest rollouts to the target first."""
        lines = [self._line(setting, name) for name in self._plays[setting]]
        return sorted(lines, key=lambda line: (line.vs_uniform.mean, -line.area))

    def ratio(self, setting: str, name: str, other: str) -> Interval:
        """The rollouts to the target that one entrant needs, over those the other needs."""
        mine, others = self._needed[setting, name], self._needed[setting, other]
        seeds = sorted(mine.keys() & others.keys())
        return bootstrap([mine[seed][0] / others[seed][0] for seed in seeds])

    def _rollouts(self, uniform: BySeed, by_seed: BySeed) -> dict[int, tuple[float, bool]]:
        """By seed, the rollouts to the target (all there were, where it was not reached)."""
        needed = {}
        for seed, found in by_seed.items():
            rollouts = found.rollouts_to(uniform[seed].final)
            spent = found.curve[-1][0] if rollouts is None else rollouts
            needed[seed] = (max(float(spent), 1.0), rollouts is not None)
        return needed

    def _line(self, setting: str, name: str) -> Line:
        uniform, mine = self._plays[setting][UNIFORM], self._plays[setting][name]
        runs = list(mine.values())
        return Line(
            setting=setting,
            entrant=name,
            seeds=len(runs),
            vs_uniform=self.ratio(setting, name, UNIFORM),
            reached=fmean(reached for _, reached in self._needed[setting, name].values()),
            area=fmean(run.area for run in runs),
            final=fmean(run.final for run in runs),
            gained=bootstrap([run.final - uniform[seed].final for seed, run in mine.items()]),
            worst_domain_delta=bootstrap(
                [run.worst_domain - uniform[seed].worst_domain for seed, run in mine.items()]
            ),
            rho=fmean(run.rho for run in runs),
            distinct=fmean(run.distinct for run in runs),
            effective=fmean(run.effective for run in runs),
            wasted=fmean(run.wasted for run in runs),
            draw_us=fmean(run.draw_us for run in runs),
            outages=fmean(run.outages for run in runs),
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """How our entrant stands in one setting: rollouts to the target over those of uniform and of
    the best other rule, and what the goal asks beside."""

    setting: str
    vs_uniform: Interval
    vs_best_other: Interval
    best_other: str
    worst_domain_delta: Interval
    distinct: float


def verdict(standings: Standings, setting: str, ours: str, others: Iterable[str]) -> Verdict:
    """Judge `ours` against uniform and the best of `others`, that of the fewest rollouts to the
    target (the larger area where several never reach it).

    Raises:
        ValueError: none of the others took part.
    """
    others = set(others)
    lines = {line.entrant: line for line in standings.lines(setting)}
    best = next((name for name in lines if name in others), None)
    if best is None:
        raise ValueError(f"no other rule took part in {setting}; expected at least one of {others}")
    return Verdict(
        setting,
        lines[ours].vs_uniform,
        standings.ratio(setting, ours, best),
        best,
        lines[ours].worst_domain_delta,
        lines[ours].distinct,
    )
