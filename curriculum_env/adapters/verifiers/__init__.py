"""The curriculum inside a verifiers v1 taskset: author it, wrap one, or derive one."""

from __future__ import annotations

from curriculum_env.adapters.verifiers.data import (
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTasksetConfig,
    Placement,
)
from curriculum_env.adapters.verifiers.env import LocalEnv, LocalEnvConfig
from curriculum_env.adapters.verifiers.factory import curriculum
from curriculum_env.adapters.verifiers.harness import ChatHarness, ChatHarnessConfig
from curriculum_env.adapters.verifiers.task import CurriculumTaskMixin
from curriculum_env.adapters.verifiers.taskset import CurriculumMixin
from curriculum_env.adapters.verifiers.wrap import CurriculumWrap, CurriculumWrapConfig

__all__ = [
    "ChatHarness",
    "ChatHarnessConfig",
    "CurriculumMixin",
    "CurriculumTaskConfig",
    "CurriculumTaskData",
    "CurriculumTaskMixin",
    "CurriculumTasksetConfig",
    "CurriculumWrap",
    "CurriculumWrapConfig",
    "LocalEnv",
    "LocalEnvConfig",
    "Placement",
    "curriculum",
]
