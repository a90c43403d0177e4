"""Taskset id `keyed-words`: tasks with keys of their own, and a `setup` that takes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

__all__ = ["KeyedWords"]


class KeyedData(vf.TaskData):
    source_id: str


class KeyedTask(vf.Task[KeyedData]):
    prepared = False

    @property
    def key(self) -> str:
        return str(self.data.source_id)

    async def setup(self) -> None:
        self.prepared = True

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(self.prepared and trace.last_reply == "right")


class KeyedWordsConfig(vf.TasksetConfig):
    keys: tuple[str, ...] = tuple(f"catalogue/{idx}" for idx in range(4))


class KeyedWords(vf.Taskset[KeyedTask, KeyedWordsConfig]):
    """Four words of a catalogue."""

    def load(self) -> Iterator[Any]:
        for idx, key in enumerate(self.config.keys):
            data = KeyedData(idx=idx, prompt=f"Say {idx}.", source_id=key)
            yield KeyedTask(data, self.config.task)
