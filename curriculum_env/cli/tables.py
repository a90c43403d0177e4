"""Draws the sections of a report on the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from curriculum_env.cli.render import console
from curriculum_env.pool.sections import Section


def show_sections(sections: Iterable[Section]) -> None:
    """Print the sections one after the other."""
    for section in sections:
        console.print()
        console.print(section.title, style="bold")
        if section.lines:
            console.print(_table(section))
        for note in section.notes:
            console.print(note, soft_wrap=True)


def _table(section: Section) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, show_header=any(section.head))
    for position, title in enumerate(section.head):
        table.add_column(title, justify="left" if position < section.texts else "right")
    for line in section.lines:
        table.add_row(*line)
    return table
