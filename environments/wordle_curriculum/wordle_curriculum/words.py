"""The secret words: everyday words of five letters, and how hard each is to find."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

COMMON = frozenset("earotilsnc")


@cache
def secrets() -> list[str]:
    """All of them, in alphabetical order."""
    text = (files(__package__) / "words.txt").read_text(encoding="utf-8")
    return sorted(text.split())


def difficulty(word: str) -> int:
    """1 for five different letters with at most one rare one among them, 2 for five different
    letters, 3 where one comes twice: a guess is then less easily narrowed down."""
    letters = set(word)
    if len(letters) < len(word):
        return 3
    return 1 if len(letters - COMMON) <= 1 else 2
