"""Taskset id `faulty`: tasks that go wrong in their own code, as `fault` says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import verifiers.v1 as vf

from curriculum_env import (
    ChatHarness,
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    LocalEnv,
    Row,
)
from curriculum_env.adapters.verifiers import CurriculumTasksetConfig

__all__ = ["ChatHarness", "Faulty", "LocalEnv"]

FAULTS = ("none", "setup raises", "setup hangs", "reward raises", "reward hangs", "reward is nan")


class FaultyData(CurriculumTaskData):
    """`fault` is one of `FAULTS`."""

    fault: str = "none"


class FaultyTask(CurriculumTaskMixin, vf.Task[FaultyData, vf.State, CurriculumTaskConfig]):
    """Overrides `setup` without `super()` and with fewer arguments, and adds to `score`."""

    async def setup(self, runtime: vf.Runtime) -> None:
        if self.data.fault == "setup raises":
            raise RuntimeError("no setup")
        if self.data.fault == "setup hangs":
            await asyncio.sleep(30)

    async def score(self, trace: vf.Trace, runtime: vf.Runtime | None = None) -> None:
        await super().score(trace, runtime)
        trace.record_reward("bonus", 0.25)

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        if self.data.fault == "reward raises":
            raise RuntimeError("no reward")
        if self.data.fault == "reward hangs":
            await asyncio.sleep(30)
        return float("nan") if self.data.fault == "reward is nan" else 0.5


class FaultyConfig(CurriculumTasksetConfig):
    """`prompt` is every task's, for the scripted policy to read its tags."""

    prompt: str = "Go."


class Faulty(CurriculumMixin, vf.Taskset[FaultyTask, FaultyConfig]):
    """One row per fault."""

    def rows(self) -> Iterator[Row]:
        for fault in FAULTS:
            yield Row(uid=fault, data={"prompt": self.config.prompt, "fault": fault})
