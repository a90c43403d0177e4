"""Variants whose answer may be wrong: never found, though the task they were made of is easy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from curriculum_env.augment_config import AugmentWatchConfig
from curriculum_env.types import Group


class LabelWatch:
    """Counts the rollouts of variants that nobody solved. After `rollouts` of them the answer is
    doubted, after as many again the doubt is taken for certain. Rows go by their place in the
    pool."""

    def __init__(self, config: AugmentWatchConfig) -> None:
        self._config = config
        self._unsolved: dict[int, int] = {}
        self._doubted_at: dict[int, int] = {}
        self._solved: set[int] = set()

    def observe(self, group: Group) -> None:
        """A group of a variant was graded."""
        if any(group.success_G):
            self._solved.add(group.row)
            self._unsolved.pop(group.row, None)
            self._doubted_at.pop(group.row, None)
        elif group.row not in self._solved:
            self._unsolved[group.row] = self._unsolved.get(group.row, 0) + len(group.success_G)

    def doubtful(self, row: int, parent: float) -> bool:
        """Whether to doubt the answer of a row now, whose parent has the pass rate `parent`."""
        config = self._config
        return (
            config.enabled
            and row not in self._doubted_at
            and self._unsolved.get(row, 0) >= config.rollouts
            and parent >= config.parent
        )

    def forgive(self) -> None:
        """Count the failures of all rows anew; a doubt stays one."""
        self._unsolved.clear()
        self._doubted_at = dict.fromkeys(self._doubted_at, 0)

    def doubt(self, row: int) -> None:
        """The answer of a row was asked for again."""
        self._doubted_at[row] = self._unsolved.get(row, 0)

    def wrong(self, row: int) -> bool:
        """Whether the row was doubted, and as many rollouts failed since."""
        at = self._doubted_at.get(row)
        return at is not None and self._unsolved.get(row, 0) >= at + self._config.rollouts

    def state_dict(self, uid: Callable[[int], str]) -> list[Any]:
        """What is known of each row, as JSON values."""
        rows = sorted(self._solved | self._unsolved.keys() | self._doubted_at.keys())
        return [
            [uid(row), row in self._solved, self._unsolved.get(row, 0), self._doubted_at.get(row)]
            for row in rows
        ]

    def load_state_dict(self, state: list[Any], find: Callable[[str], int | None]) -> None:
        """Go on from `state_dict`."""
        for uid, solved, unsolved, doubted_at in state:
            row = find(uid)
            if row is None:
                continue
            if solved:
                self._solved.add(row)
                continue
            self._unsolved[row] = unsolved
            if doubted_at is not None:
                self._doubted_at[row] = doubted_at
