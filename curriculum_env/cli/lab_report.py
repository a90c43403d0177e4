"""The lab's bar, table, plot and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from rich import progress
from rich.console import Console
from rich.table import Table

from curriculum_env.cli.render import number
from curriculum_env.plots import accuracy_panels, draw_accuracy
from curriculum_env.sim.kept import Refused
from curriculum_env.sim.replay import Score
from curriculum_env.sim.summary import Interval, Line, Standings

_WIDTH = 150


def wide() -> Console:
    """A console on which the tables fit, on narrow terminals and in files too."""
    return Console(highlight=False, markup=False, emoji=False, width=max(Console().width, _WIDTH))


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a lab found."""

    standings: Standings
    refused: tuple[Refused, ...]


@contextmanager
def bar(runs: int, console: Console) -> Iterator[Callable[[], None]]:
    """A bar that moves by one run at each call."""
    columns = (
        progress.TextColumn("{task.completed}/{task.total} runs"),
        progress.BarColumn(bar_width=None),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console) as shown:
        task = shown.add_task("", total=runs)
        yield lambda: shown.update(task, advance=1)


def show_report(report: Report, console: Console) -> None:
    """Print one table: of every setting, or all there is to say of the only one."""
    settings = report.standings.settings
    one = len(settings) == 1
    console.print(setting_table(report, settings[0]) if one else overview(report))
    console.print(
        "rollouts to the accuracy uniform drawing ends with, over those uniform needs; "
        "1.00 at most where it was never reached (marked >); mean over "
        f"{_seeds(report)} seeds" + (", with 95% intervals" if one else ""),
        style="dim",
    )
    for found in report.refused:
        console.print(f"{found.entrant} is out of {found.setting}: {found.why}", style="dim")


def overview(report: Report) -> Table:
    """One line for each entrant, one column for each setting, the best on average first."""
    settings = report.standings.settings
    found = {s: {line.entrant: line for line in report.standings.lines(s)} for s in settings}
    names = dict.fromkeys(name for lines in found.values() for name in lines)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("entrant", no_wrap=True)
    for title in (*settings, "mean", "worst domain", "ρ", "tasks", "wasted", "µs/draw"):
        table.add_column(title, justify="right")
    rows = {name: [found[s][name] for s in settings if name in found[s]] for name in names}
    for name in sorted(rows, key=lambda name: fmean(line.vs_uniform.mean for line in rows[name])):
        cells = [ratio(found[s][name]) if name in found[s] else "–" for s in settings]
        table.add_row(name, *cells, *_means(rows[name]))
    return table


def _means(lines: list[Line]) -> list[str]:
    return [
        number(fmean(line.vs_uniform.mean for line in lines)),
        f"{min(line.worst_domain_delta.mean for line in lines):+.3f}",
        number(fmean(line.rho for line in lines)),
        f"{fmean(line.distinct for line in lines):.0f}",
        f"{fmean(line.wasted for line in lines):.0%}",
        f"{fmean(line.draw_us for line in lines):.0f}",
    ]


def setting_table(report: Report, setting: str) -> Table:
    """One line for each entrant with every measure, the fewest rollouts first."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("entrant", no_wrap=True)
    titles = ("rollouts", "area", "final", "gained", "worst domain", "ρ", "tasks", "effective")
    for title in (*titles, "wasted", "outages", "µs/draw"):
        table.add_column(title, justify="right")
    for line in report.standings.lines(setting):
        table.add_row(
            line.entrant,
            f"{ratio(line)} {_within(line.vs_uniform, '.2f')}",
            number(line.area, 3),
            number(line.final, 3),
            f"{line.gained.mean:+.3f} {_within(line.gained, '+.3f')}",
            f"{line.worst_domain_delta.mean:+.3f}",
            number(line.rho),
            f"{line.distinct:.0f}",
            f"{line.effective:.0f}",
            f"{line.wasted:.0%}",
            number(line.outages, 1),
            f"{line.draw_us:.0f}",
        )
    return table


def ratio(line: Line) -> str:
    """Rollouts to the target over uniform's, marked where some seed never reached it."""
    return f"{'>' if line.reached < 1.0 else ''}{line.vs_uniform.mean:.2f}"


def _within(interval: Interval, spec: str) -> str:
    return f"[{interval.low:{spec}}, {interval.high:{spec}}]"


def _seeds(report: Report) -> int:
    return max(line.seeds for line in report.standings.lines(report.standings.settings[0]))


def as_json(report: Report) -> str:
    """Every line of every setting, the curves of the plot, and who was out."""
    standings = report.standings
    lines = {s: [asdict(line) for line in standings.lines(s)] for s in standings.settings}
    panels = [asdict(panel) for panel in accuracy_panels(standings)]
    refused = [asdict(found) for found in report.refused]
    return json.dumps({"settings": lines, "curves": panels, "refused": refused}, indent=1)


def write_json(report: Report, folder: Path) -> Path:
    """Write lab.json into a folder, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "lab.json"
    path.write_text(as_json(report) + "\n", encoding="utf-8")
    return path


def write_plot(report: Report, folder: Path, suffix: str = "png") -> Path:
    """Draw the plot into a folder, and return its path.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    path = folder / f"lab.{suffix}"
    draw_accuracy(accuracy_panels(report.standings), path)
    return path


def score_table(scores: list[Score]) -> Table:
    """One line for each estimator on a recorded run, the best first."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("estimator")
    for title in ("log-loss", "Brier", "calibration", "groups", "rollouts"):
        table.add_column(title, justify="right")
    for score in scores:
        table.add_row(
            score.name,
            number(score.log_loss, 3),
            number(score.brier, 3),
            number(score.calibration_error(), 3),
            str(score.groups),
            str(score.rollouts),
        )
    return table
