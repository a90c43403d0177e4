"""Draws reports as text."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from curriculum_env.report import LevelReport, RefillReport, RunReport

if TYPE_CHECKING:
    from curriculum_env.cli.installed import Environment
    from curriculum_env.cli.standing import Outage, Standing
    from curriculum_env.cli.variants import Variants

WITHOUT_PRIORS = (
    "the rows began with offline estimates, which the store does not hold: the beliefs here start "
    "without them; the folder of a run that ended has the run's own in difficulty.parquet"
)

console = Console(highlight=False, markup=False, emoji=False)


def number(value: float | None, digits: int = 2) -> str:
    """A value to so many digits, a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def show_run(
    report: RunReport, folder: Path, *, interrupted: bool, variants: Variants | None = None
) -> None:
    """Print the summary of a run, and how to go on with it where rollouts are missing."""
    named = any(level.level for level in report.levels)
    console.print(level_table(report.levels if named else report.buckets))
    show_report(report)
    for line in variants_lines(variants) if variants else ():
        console.print(line, soft_wrap=True)
    state = "Interrupted" if interrupted else "Finished"
    console.print(f"{state}. Episodes and report: {folder}", style="dim", soft_wrap=True)
    owed = f"{report.errors} rollouts failed and are owed: " if report.errors else ""
    if owed or interrupted:
        command = f"curriculum-env run --resume --output {shlex.quote(str(folder))}"
        console.print(f"{owed}go on with `{command}`", soft_wrap=True)


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


def show_report(report: RunReport) -> None:
    """Print rho beside what uniform drawing would have had, and what it was measured on."""
    console.print(survival_table(report))
    if report.expected_uniform is not None:
        console.print(
            "Uniform drawing: the mean over the pool; a task never drawn has the measured ρ of "
            "its level.",
            style="dim",
            soft_wrap=True,
        )
    spread = f"{report.distinct} distinct, {report.effective:.1f} effective (exp of the entropy)"
    failed = f"{report.errors} failed, {report.cancelled} cancelled"
    rewards = f"mean reward of all {number(report.mean_reward, 3)}, {report.tokens} tokens"
    console.print(f"tasks drawn: {spread}", soft_wrap=True)
    console.print(
        f"{report.draws} draws of {report.group_size}: {report.rollouts} rollouts graded, "
        f"{failed}, {rewards}",
        soft_wrap=True,
    )
    if report.refill is not None:
        console.print(refill_line(report.refill), soft_wrap=True)


def refill_line(refill: RefillReport) -> str:
    """How many groups were drawn for those worth training on."""
    drawn = len(refill.batch) + refill.discarded + refill.lost + refill.carried
    return (
        f"refill: {len(refill.batch)} of {refill.groups} groups worth training on, {drawn} drawn: "
        f"{refill.discarded} discarded, {refill.lost} lost, {refill.carried} left over; "
        f"ρ {refill.rho:.3f}, oversampling {refill.oversampling:.2f}"
    )


def survival_table(report: RunReport) -> Table:
    """rho as measured and as the beliefs expect it: over all draws, the last half, uniform."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("ρ (groups not all alike)")
    for title in ("all draws", "last half", "uniform drawing"):
        table.add_column(title, justify="right")
    measured = (report.survival, report.survival_last_half, report.survival_uniform)
    expected = (None, report.expected_last_half, report.expected_uniform)
    table.add_row("measured", *(number(value, 3) for value in measured))
    table.add_row("expected by the beliefs", *(number(value, 3) for value in expected))
    return table


def environment_table(environments: Sequence[Environment]) -> Table:
    """One line for each installed environment."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("id", "version", "taskset", "summary"):
        table.add_column(title)
    for environment in environments:
        table.add_row(*environment)
    return table


def show_standing(standing: Standing) -> None:
    """Print how a run stands."""
    report, frontier = standing.report, standing.frontier
    console.print(level_table(report.buckets))
    untouched = "" if frontier.untouched is None else f", {frontier.untouched} never drawn"
    show_report(report)
    lines = (
        (
            f"frontier: {frontier.frontier} tasks pass in .2 to .8, {frontier.too_easy} in more, "
            f"{frontier.too_hard} in less{untouched}"
        ),
        (
            f"draws: {standing.in_flight} in flight, {standing.dropped} dropped; outcomes: "
            f"{standing.unwritten} unwritten, {standing.strays} of no draw"
        ),
        *map(_outage, standing.outages),
        *(variants_lines(standing.variants) if standing.variants else ()),
        *([WITHOUT_PRIORS] if standing.priors else []),
        (
            f"run {standing.run}, sampler {standing.sampler}, estimator {standing.estimator}, "
            f"last draw {ago(standing.last_draw)}: {standing.url}"
        ),
    )
    for line in lines:
        console.print(line, soft_wrap=True)


def ago(moment: float | None) -> str:
    """How long ago a moment (Unix seconds) was, in words."""
    if moment is None:
        return "never"
    seconds = max(time.time() - moment, 0.0)
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} seconds ago"


def _outage(outage: Outage) -> str:
    end = (
        "still lasting"
        if outage.ended is None
        else f"over after {outage.ended - outage.began:.0f} s"
    )
    return (
        f"outage ({outage.reason}): began {ago(outage.began)}, {end}, "
        f"{outage.groups_undone} groups taken back"
    )


def variants_lines(found: Variants) -> list[str]:
    """What became of the tasks asked for, what they cost, and what their service does."""
    states = found.states
    making = states["asked"] + states["proposed"]
    discarded = _counted(states["discarded"], "discarded", found.discarded)
    away = _counted(states["quarantined"], "put away", found.quarantined)
    money = f", {found.money:.2f} of money" if found.money else ""
    share = "" if found.accepted is None else f"; {found.accepted:.0%} of those decided accepted"
    lines = [
        (
            f"new tasks: {making} being made, {states['accepted']} on their way into the pool, "
            f"{states['inserted']} in it, {discarded}, {away}{share}"
        ),
        f"their cost: {found.requests} requests, {found.tokens} tokens{money}",
    ]
    if found.service:
        why = f" ({found.why})" if found.why else ""
        live = found.service not in ("stopped", "silent")
        sign = f"; last sign {ago(found.sign)}" if live else ""
        lines.append(f"their service: {found.service}{why}, since {ago(found.since)}{sign}")
    else:
        lines.append("their service: none has run yet")
    return lines


def _counted(count: int, what: str, reasons: Mapping[str, int]) -> str:
    named = ", ".join(f"{reason} {number}" for reason, number in reasons.items())
    return f"{count} {what}" + (f" ({named})" if named else "")
