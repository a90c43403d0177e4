"""A verifiers environment that chooses its own next task from the rewards of its rollouts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curriculum_env.adapters.verifiers import (
        ChatHarness,
        CurriculumMixin,
        CurriculumTaskConfig,
        CurriculumTaskData,
        CurriculumTaskMixin,
        CurriculumTasksetConfig,
        CurriculumWrap,
        LocalEnv,
        curriculum,
    )
    from curriculum_env.config import CurriculumConfig
    from curriculum_env.engine import Curriculum
    from curriculum_env.errors import CurriculumError
    from curriculum_env.pool import StoredRows, stream_rows
    from curriculum_env.rubrics.math import MathChecker
    from curriculum_env.types import Draw, Group, Outcome, Row, content_uid

_HOMES = {
    "ChatHarness": "adapters.verifiers",
    "Curriculum": "engine",
    "CurriculumConfig": "config",
    "CurriculumError": "errors",
    "CurriculumMixin": "adapters.verifiers",
    "CurriculumTaskConfig": "adapters.verifiers",
    "CurriculumTaskData": "adapters.verifiers",
    "CurriculumTaskMixin": "adapters.verifiers",
    "CurriculumTasksetConfig": "adapters.verifiers",
    "CurriculumWrap": "adapters.verifiers",
    "Draw": "types",
    "Group": "types",
    "LocalEnv": "adapters.verifiers",
    "MathChecker": "rubrics.math",
    "Outcome": "types",
    "Row": "types",
    "StoredRows": "pool",
    "content_uid": "types",
    "curriculum": "adapters.verifiers",
    "stream_rows": "pool",
}

__all__ = [
    "ChatHarness",
    "Curriculum",
    "CurriculumConfig",
    "CurriculumError",
    "CurriculumMixin",
    "CurriculumTaskConfig",
    "CurriculumTaskData",
    "CurriculumTaskMixin",
    "CurriculumTasksetConfig",
    "CurriculumWrap",
    "Draw",
    "Group",
    "LocalEnv",
    "MathChecker",
    "Outcome",
    "Row",
    "StoredRows",
    "content_uid",
    "curriculum",
    "stream_rows",
]


def __getattr__(name: str) -> Any:
    """Import a public name where it is first used, so that a worker stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
