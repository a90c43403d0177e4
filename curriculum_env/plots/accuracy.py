"""Accuracy by rollouts: the curves, without a thought of how they look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from curriculum_env.sim.entrants import DEFAULT, UNIFORM
from curriculum_env.sim.play import Play
from curriculum_env.sim.summary import Standings

POINTS = 48


@dataclass(frozen=True, slots=True)
class Curve:
    """The mean accuracy of one entrant over its seeds, with the lowest and the highest of them."""

    entrant: str
    accuracy_T: tuple[float, ...]
    low_T: tuple[float, ...]
    high_T: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The curves of one setting, at common numbers of rollouts."""

    setting: str
    rollouts_T: tuple[float, ...]
    curves: tuple[Curve, ...]


def accuracy_panels(standings: Standings, named: Sequence[str] = (), best: int = 3) -> list[Panel]:
    """A panel for each setting: our default, uniform drawing, the entrants `named` or, with none
    named, the `best` others."""
    return [_panel(standings, setting, named, best) for setting in standings.settings]


def _panel(standings: Standings, setting: str, named: Sequence[str], best: int) -> Panel:
    plays = standings.plays(setting)
    ranked = [line.entrant for line in standings.lines(setting)]
    others = named or [name for name in ranked if name not in (DEFAULT, UNIFORM)][:best]
    shown = [name for name in dict.fromkeys((DEFAULT, UNIFORM, *others)) if name in plays]
    runs = [run for name in shown for run in plays[name].values()]
    rollouts_T = np.linspace(0.0, min(run.curve[-1][0] for run in runs), POINTS)
    curves = tuple(_curve(name, plays[name].values(), rollouts_T) for name in shown)
    return Panel(setting, tuple(rollouts_T.tolist()), curves)


def _curve(
    name: str, runs: Iterable[Play], rollouts_T: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> Curve:
    accuracy_ST = np.array([np.interp(rollouts_T, *np.array(run.curve).T[:2]) for run in runs])
    return Curve(
        name,
        tuple(accuracy_ST.mean(axis=0).tolist()),
        tuple(accuracy_ST.min(axis=0).tolist()),
        tuple(accuracy_ST.max(axis=0).tolist()),
    )
