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
    from curriculum_env.augment.proposal import Annotation, Discard, Variant
    from curriculum_env.config import CurriculumConfig
    from curriculum_env.engine import Curriculum
    from curriculum_env.errors import ConfigError, CurriculumError, PoolError
    from curriculum_env.pool import Columns, Preset, Source, StoredRows, stream_rows
    from curriculum_env.rubrics.code import (
        AssertCase,
        CallCase,
        Case,
        CodeLimits,
        CodeResult,
        ProgramCase,
        run_tests,
    )
    from curriculum_env.rubrics.math import MathChecker
    from curriculum_env.types import Draw, Group, Outcome, Row, content_uid

_HOMES = {
    "Annotation": "augment.proposal",
    "AssertCase": "rubrics.code",
    "CallCase": "rubrics.code",
    "Case": "rubrics.code",
    "ChatHarness": "adapters.verifiers",
    "CodeLimits": "rubrics.code",
    "CodeResult": "rubrics.code",
    "Columns": "pool",
    "ConfigError": "errors",
    "Curriculum": "engine",
    "CurriculumConfig": "config",
    "CurriculumError": "errors",
    "CurriculumMixin": "adapters.verifiers",
    "CurriculumTaskConfig": "adapters.verifiers",
    "CurriculumTaskData": "adapters.verifiers",
    "CurriculumTaskMixin": "adapters.verifiers",
    "CurriculumTasksetConfig": "adapters.verifiers",
    "CurriculumWrap": "adapters.verifiers",
    "Discard": "augment.proposal",
    "Draw": "types",
    "Group": "types",
    "LocalEnv": "adapters.verifiers",
    "MathChecker": "rubrics.math",
    "Outcome": "types",
    "PoolError": "errors",
    "Preset": "pool",
    "ProgramCase": "rubrics.code",
    "Row": "types",
    "Source": "pool",
    "StoredRows": "pool",
    "Variant": "augment.proposal",
    "content_uid": "types",
    "curriculum": "adapters.verifiers",
    "run_tests": "rubrics.code",
    "stream_rows": "pool",
}

__all__ = [
    "Annotation",
    "AssertCase",
    "CallCase",
    "Case",
    "ChatHarness",
    "CodeLimits",
    "CodeResult",
    "Columns",
    "ConfigError",
    "Curriculum",
    "CurriculumConfig",
    "CurriculumError",
    "CurriculumMixin",
    "CurriculumTaskConfig",
    "CurriculumTaskData",
    "CurriculumTaskMixin",
    "CurriculumTasksetConfig",
    "CurriculumWrap",
    "Discard",
    "Draw",
    "Group",
    "LocalEnv",
    "MathChecker",
    "Outcome",
    "PoolError",
    "Preset",
    "ProgramCase",
    "Row",
    "Source",
    "StoredRows",
    "Variant",
    "content_uid",
    "curriculum",
    "run_tests",
    "stream_rows",
]


def __getattr__(name: str) -> Any:
    """Import a public name where it is first used, so that a worker stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
