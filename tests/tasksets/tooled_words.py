"""Taskset id `tooled-words`: tasks with a tool of their own, beside one shared by all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import verifiers.v1 as vf
from words_dictionary import Dictionary
from words_speller import Speller

from curriculum_env import ChatHarness

__all__ = ["ToolChat", "TooledWords"]


class ToolChat(ChatHarness):
    """Needs no tool to answer, but notes which servers are up."""

    SUPPORTS_MCP: ClassVar[bool] = True

    async def launch(self, ctx: Any, trace: vf.Trace, *args: Any) -> vf.ProgramResult:
        trace.info["tools"] = len(args[3])
        return await super().launch(ctx, trace, *args)


class TooledConfig(vf.TaskConfig):
    spelling: vf.ToolsetConfig = vf.ToolsetConfig()


class TooledTask(vf.Task[vf.TaskData, vf.State, TooledConfig]):
    @classmethod
    def toolsets(cls, config: TooledConfig) -> list[Any]:
        return [Speller(config.spelling)]

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.info["tools"] == 2 and trace.last_reply == "right")


class TooledTasksetConfig(vf.TasksetConfig):
    dictionary: vf.SharedToolsetConfig = vf.SharedToolsetConfig()
    task: TooledConfig = TooledConfig()


class TooledWords(vf.Taskset[TooledTask, TooledTasksetConfig]):
    """Two words."""

    def load(self) -> Iterator[Any]:
        for idx in range(2):
            yield TooledTask(vf.TaskData(idx=idx, prompt=f"Say {idx}."), self.config.task)

    @classmethod
    def toolsets(cls, config: TooledTasksetConfig) -> list[Any]:
        return [Dictionary(config.dictionary)]
