"""A report as titled tables, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A table: `head` names the columns, the first `texts` of which are words, the others numbers.
    `notes` are sentences under it."""

    title: str
    head: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    texts: int = 1


def markdown(title: str, sections: Iterable[Section]) -> str:
    """The sections as a Markdown page. What a model or a dataset wrote stands in cells as plain
    text."""
    parts = [f"# {title}\n"]
    for section in sections:
        parts.append(f"## {section.title}\n")
        if section.lines:
            parts.append(_table(section))
        parts += [f"{note}\n" for note in section.notes]
    return "\n".join(parts)


def _table(section: Section) -> str:
    rule = ["---"] * section.texts + ["---:"] * (len(section.head) - section.texts)
    lines = [_line(section.head), _line(rule), *map(_line, section.lines)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(plain, cells))} |"


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\|`*_[]<>#~"})


def plain(text: str) -> str:
    """The text on one line, so that Markdown shows it as it is."""
    return " ".join(text.split()).translate(_MARKS)


def shortened(text: str, most: int = 60) -> str:
    """The text on one line, cut to `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def share(part: int, whole: int) -> str:
    """A part as a percentage, a dash where there is no whole."""
    return "–" if whole == 0 else f"{part / whole:.1%}"
