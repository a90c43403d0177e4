"""Taskset id `endless-words`: a plain generator, of which every third task repeats another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

__all__ = ["EndlessWords"]


class EndlessTask(vf.Task[vf.TaskData]):
    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == "right")


class EndlessWords(vf.Taskset[EndlessTask, vf.TasksetConfig]):
    """Numbers, for ever."""

    INFINITE = True

    def load(self) -> Iterator[Any]:
        for idx in itertools.count():
            prompt = f"Say {idx - idx % 3 // 2}."
            yield EndlessTask(vf.TaskData(idx=idx, prompt=prompt), self.config.task)
