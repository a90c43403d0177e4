"""Tasks whose pass rate an untrained character policy has by construction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

from curriculum_env import (
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    CurriculumTasksetConfig,
    Row,
)
from tests.adapters.trl.tiny import CHARACTERS


class LetterData(CurriculumTaskData):
    """Right is a first character among the share `p` of all; None: the grader fails."""

    p: float | None


class LetterTask(CurriculumTaskMixin, vf.Task[LetterData, vf.State, CurriculumTaskConfig]):
    """An untrained policy says each character equally often, so it is right with about `p`."""

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        if self.data.p is None:
            raise ValueError("no grader today")
        first = trace.last_reply[:1] or CHARACTERS[-1]
        return float(CHARACTERS.index(first) < self.data.p * len(CHARACTERS))


class LettersConfig(CurriculumTasksetConfig):
    """`count` tasks; the share `dead` is never solved, every `broken`th cannot be graded, and the
    others are solved at the `rate`."""

    count: int = 40
    dead: float = 0.0
    broken: int = 0
    rate: float = 0.5


class Letters(CurriculumMixin, vf.Taskset[LetterTask, LettersConfig]):
    """Letters to be said."""

    def rows(self) -> Iterator[Row]:
        dead = round(self.config.count * self.config.dead)
        for index in range(self.config.count):
            p: float | None = 0.0 if index < dead else self.config.rate
            if self.config.broken and index % self.config.broken == 0:
                p = None
            yield Row(f"letter-{index}", {"prompt": f"{index:03d}:", "p": p}, level=str(p))

    def heldout_rows(self) -> Iterator[Row]:
        for index in range(4):
            yield Row(f"held-{index}", {"prompt": f"h{index}:", "p": 0.5})


def letters(**settings: Any) -> Letters:
    """The taskset with these settings."""
    return Letters(LettersConfig(id="letters", **settings))
