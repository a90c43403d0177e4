"""A build in progress, and what it found, on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich import progress
from rich.console import Console
from rich.table import Table

from curriculum_env.cli.render import console
from curriculum_env.pool.cleaning.report import REASONS, BuildReport

SHOWN = 100


class Bars:
    """A bar for each step, on standard error, where that is a terminal."""

    def __init__(self) -> None:
        self._bars = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(bar_width=None),
            progress.TextColumn("{task.completed}"),
            progress.TimeElapsedColumn(),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
        )

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    @contextmanager
    def step(self, name: str, total: int | None) -> Iterator[Callable[[int], None]]:
        """A bar for the step `name` of so many records, None where that is not known."""
        task = self._bars.add_task(name, total=total)
        yield lambda done: self._bars.update(task, advance=done)
        finished = self._bars.tasks[task].completed or 1
        self._bars.update(task, total=finished, completed=finished)


def show_report(report: BuildReport, folder: Path) -> None:
    """Print what was taken out and why, with an example each, and where the files are."""
    console.print(_reasons(report))
    if report.matched:
        console.print(_counts("evaluation set", report.matched.most_common()))
        console.print(_counts("matched by", report.details.most_common()))
    for reason in (known for known in REASONS if known in report.examples):
        example = report.examples[reason][0]
        console.print(f"{reason}: {_short(example['prompt'])}", soft_wrap=True, style="dim")
        if example["match_prompt"]:
            console.print(f"  like: {_short(example['match_prompt'])}", soft_wrap=True, style="dim")
    console.print(
        f"{report.kept} of {report.records} records kept. Pool, quarantine and report: {folder}",
        soft_wrap=True,
    )


def _short(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= SHOWN else f"{folded[: SHOWN - 1]}…"


def _reasons(report: BuildReport) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("taken out")
    table.add_column("records", justify="right")
    table.add_column("share", justify="right")
    table.add_column("because")
    for reason, meaning in REASONS.items():
        count = report.reasons[reason]
        share = f"{count / report.records:.1%}" if report.records else "–"
        table.add_row(reason, str(count), share, meaning)
    return table


def _counts(title: str, counts: list[tuple[str, int]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(title)
    table.add_column("records", justify="right")
    for name, count in counts:
        table.add_row(name, str(count))
    return table
