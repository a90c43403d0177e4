"""Tasks written for these tests, each with its own variants and look-alikes.

Of each of `TASKS`: `paraphrase` (other words), `reordered` (its clauses in another order), `names`
(people and things renamed), `numbers` (other numbers, with their answer) and `lookalike` (another
task in much the same words, with its answer). `UNSEEN` have no part in the choice of any
threshold. `FORMULAS` are pairs of spellings, `SHORT` are prompts of a few words, spelt twice.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

_DATA: dict[str, Any] = json.loads((Path(__file__).parent / "labelled.json").read_text("utf-8"))


class Task(NamedTuple):
    text: str
    answer: str
    paraphrase: str
    lookalike: str
    lookalike_answer: str
    reordered: str = ""
    names: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()
    other_answer: str = ""

    def renamed(self) -> str:
        return swap(self.text, self.names)

    def renumbered(self) -> str:
        return swap(self.text, self.numbers)


def swap(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for old, new in pairs:
        assert old in text, (old, text)
        text = text.replace(old, new)
    return text


TASKS = [Task(**task) for task in _DATA["tasks"]]
TRIED = [Task(**task) for task in _DATA["tried"]]
UNSEEN = [Task(**task) for task in _DATA["unseen"]]
FORMULAS: list[tuple[str, str]] = _DATA["formulas"]
SHORT: list[tuple[str, str, str]] = _DATA["short"]
SHORT_LOOKALIKES: list[tuple[str, str]] = _DATA["short_lookalikes"]
