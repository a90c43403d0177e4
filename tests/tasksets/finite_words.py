"""Taskset id `finite-words`: a plain finite taskset, its reward set by its task's config."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

__all__ = ["FiniteWords"]


class WordData(vf.TaskData):
    word: str
    length: int


class WordTaskConfig(vf.TaskConfig):
    """`worth` is what a right answer earns."""

    worth: float = 1.0


class WordTask(vf.Task[WordData, vf.State, WordTaskConfig]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(self.config.worth * (trace.last_reply == "right"))


class WordsConfig(vf.TasksetConfig):
    """`count` words."""

    count: int = 6
    task: WordTaskConfig = WordTaskConfig()


class FiniteWords(vf.Taskset[WordTask, WordsConfig]):
    """`a`, `aa`, `aaa`, ..."""

    def load(self) -> Iterator[Any]:
        for idx in range(self.config.count):
            word = "a" * (idx + 1)
            data = WordData(idx=idx, prompt=f"Say {word}.", word=word, length=len(word))
            yield WordTask(data, self.config.task)
