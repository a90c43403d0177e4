"""What a training session found, as a table and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from curriculum_env.cli.render import number
from curriculum_env.plots import Curve as Drawn
from curriculum_env.plots import Panel, draw_accuracy
from curriculum_env.types import FloatArray

_MARKS = 7


class Point(NamedTuple):
    """Where training stood at an evaluation: rollouts, optimizer steps and seconds of training so
    far, and the accuracy on the held-out split."""

    rollouts: int
    steps: int
    seconds: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Curve:
    """One run."""

    entrant: str
    points: tuple[Point, ...]
    rho: float
    distinct: int
    effective: float

    @property
    def rollouts_T(self) -> FloatArray:
        return np.array([point.rollouts for point in self.points], np.float64)

    @property
    def accuracy_T(self) -> FloatArray:
        return np.array([point.accuracy for point in self.points])

    def rollouts_to(self, target: float) -> float | None:
        """Rollouts to the first evaluation at the target, interpolated; None if it never was."""
        rollouts_T, accuracy_T = self.rollouts_T, self.accuracy_T
        first = int(np.argmax(accuracy_T >= target))
        if accuracy_T[first] < target:
            return None
        span = slice(max(first - 1, 0), first + 1)
        return float(np.interp(target, accuracy_T[span], rollouts_T[span]))


@dataclass(frozen=True, slots=True)
class Report:
    """All runs of a session."""

    taskset: str
    policy: str
    curves: tuple[Curve, ...]


def show(report: Report, console: Console) -> None:
    """Print the accuracy by rollouts, and what each run came to."""
    console.print(accuracy_table(report))
    console.print(summary_table(report))
    if len(report.curves) > 1:
        console.print(comparison(*report.curves), soft_wrap=True)


def accuracy_table(report: Report) -> Table:
    """One line per run: its accuracy on the held-out split at common numbers of rollouts."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("held-out accuracy after", no_wrap=True)
    marks_T = _common(report, _MARKS)
    for mark in marks_T:
        table.add_column(f"{mark / 1000:.1f}k", justify="right", no_wrap=True)
    for curve in report.curves:
        found_T = np.interp(marks_T, curve.rollouts_T, curve.accuracy_T)
        table.add_row(curve.entrant, *(number(value, 3) for value in found_T))
    return table


def summary_table(report: Report) -> Table:
    """One line per run: what was spent, what came of it, and what was drawn."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("run", no_wrap=True)
    for title in ("steps", "rollouts", "seconds", "accuracy", "before", "ρ", "tasks", "effective"):
        table.add_column(title, justify="right")
    for curve in report.curves:
        first, last = curve.points[0], curve.points[-1]
        table.add_row(
            curve.entrant,
            str(last.steps),
            str(last.rollouts),
            f"{last.seconds:.0f}",
            number(last.accuracy, 3),
            number(first.accuracy, 3),
            number(curve.rho),
            str(curve.distinct),
            f"{curve.effective:.0f}",
        )
    return table


def comparison(ours: Curve, other: Curve) -> str:
    """How many rollouts each needed to what the other run ended with."""
    target = other.points[-1].accuracy
    needed, spent = ours.rollouts_to(target), other.points[-1].rollouts
    ended = f"{other.entrant} ended at {target:.3f} after {spent} rollouts"
    if needed is None:
        return f"{ended}; {ours.entrant} did not get there."
    return f"{ended}; {ours.entrant} was there after {needed:.0f}."


def write_plot(report: Report, folder: Path) -> Path:
    """Draw accuracy by rollouts, and return the picture's path.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    marks_T = _common(report, 100)
    drawn = []
    for curve in report.curves:
        found = tuple(np.interp(marks_T, curve.rollouts_T, curve.accuracy_T).tolist())
        drawn.append(Drawn(curve.entrant, found, found, found))
    panel = Panel(f"{report.taskset}, {report.policy}", tuple(marks_T.tolist()), tuple(drawn))
    path = folder / "accuracy.png"
    draw_accuracy([panel], path)
    return path


def _common(report: Report, count: int) -> FloatArray:
    """Numbers of rollouts that all runs reached, evenly apart."""
    return np.linspace(0.0, min(curve.points[-1].rollouts for curve in report.curves), count)
