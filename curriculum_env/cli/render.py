"""Draws reports as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from curriculum_env.report import LevelReport, RunReport

if TYPE_CHECKING:
    from curriculum_env.cli.installed import Environment

console = Console(highlight=False)


def number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def show_run(report: RunReport, folder: Path, *, interrupted: bool) -> None:
    """Print the summary of a run."""
    named = any(level.level for level in report.levels)
    console.print(level_table(report.levels if named else report.buckets))
    for line in summary(report):
        console.print(line, soft_wrap=True)
    state = "Interrupted; go on with --resume" if interrupted else "Finished"
    console.print(f"{state}. Episodes and report: {folder}", style="dim", soft_wrap=True)


def level_table(levels: tuple[LevelReport, ...]) -> Table:
    """One line for each level: how often it was drawn, and what came back."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    domains = any(level.domain for level in levels)
    for title in (*(["domain"] if domains else []), "level"):
        table.add_column(title)
    for title in ("rows", "draws", "share", "tasks", "rollouts", "errors", "pass rate", "ρ"):
        table.add_column(title, justify="right")
    total = sum(level.draws for level in levels)
    for level in levels:
        table.add_row(
            *([level.domain or "–"] if domains else []),
            level.level or "–",
            "–" if level.rows is None else str(level.rows),
            str(level.draws),
            f"{level.draws / total:.0%}" if total else "–",
            str(level.distinct),
            str(level.rollouts),
            str(level.errors),
            number(level.pass_rate),
            number(level.survival),
        )
    return table


def summary(report: RunReport) -> list[str]:
    """rho beside its baselines, then what it was measured on."""
    return [
        f"ρ, share of groups that are not all alike: {number(report.survival, 3)} over all draws, "
        f"{number(report.survival_last_half, 3)} over the last half",
        f"uniform drawing would have had: {number(report.uniform_survival, 3)} on the same beliefs "
        "(mean over the pool of the expected survival), "
        f"{number(report.uniform_survival_by_level, 3)} by the measured ρ of each level, weighed "
        "by its rows",
        f"tasks drawn: {report.distinct} distinct, {report.effective:.1f} effective "
        "(exp of the entropy of the draws)",
        f"{report.draws} draws of {report.group_size}: {report.rollouts} rollouts graded, "
        f"{report.errors} failed, {report.cancelled} cancelled, mean reward "
        f"{number(report.mean_reward, 3)}, {report.tokens} tokens",
    ]


def environment_table(environments: Sequence[Environment]) -> Table:
    """One line for each installed environment."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("id", "version", "taskset", "summary"):
        table.add_column(title)
    for environment in environments:
        table.add_row(*environment)
    return table
