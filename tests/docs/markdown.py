"""Reads the project's Markdown pages."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language and its text."""

    page: Path
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.text.splitlines()[0]}"


def pages() -> list[Path]:
    """Every Markdown page under version control or about to be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.splitlines() if (ROOT / name).is_file()]


def blocks(*languages: str) -> list[Block]:
    """The fenced blocks of all pages in one of `languages`."""
    found = [
        Block(page, fence[1], fence[2])
        for page in pages()
        for fence in FENCE.finditer(page.read_text())
    ]
    return [block for block in found if block.language in languages]


def links() -> Iterator[tuple[Path, str]]:
    """Every link of every page, outside fenced blocks."""
    for page in pages():
        for target in LINK.findall(FENCE.sub("", page.read_text())):
            yield page, target


def anchors(page: Path) -> set[str]:
    """The fragments by which a page's headings are linked."""
    headings = HEADING.findall(FENCE.sub("", page.read_text()))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
