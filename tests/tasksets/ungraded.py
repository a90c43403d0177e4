"""Taskset id `ungraded`: a task without rewards, for an Env that grades."""

from __future__ import annotations

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

__all__ = ["ChatHarness", "LocalEnv", "Ungraded"]


class UngradedTask(
    CurriculumTaskMixin, vf.Task[CurriculumTaskData, vf.State, CurriculumTaskConfig]
):
    """Says nothing about its rollouts."""


class Ungraded(CurriculumMixin, vf.Taskset[UngradedTask, CurriculumTasksetConfig]):
    """One task."""

    def rows(self) -> Iterator[Row]:
        yield Row(uid="only", data={"prompt": "Go."})
