"""A verifiers environment that chooses its own next task from the rewards of its rollouts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curriculum_env.config import CurriculumConfig
    from curriculum_env.engine import Curriculum
    from curriculum_env.errors import CurriculumError
    from curriculum_env.types import Draw, Group, Outcome, Row, content_uid

_HOMES = {
    "Curriculum": "engine",
    "CurriculumConfig": "config",
    "CurriculumError": "errors",
    "Draw": "types",
    "Group": "types",
    "Outcome": "types",
    "Row": "types",
    "content_uid": "types",
}

__all__ = [
    "Curriculum",
    "CurriculumConfig",
    "CurriculumError",
    "Draw",
    "Group",
    "Outcome",
    "Row",
    "content_uid",
]


def __getattr__(name: str) -> Any:
    """Import a public name where it is first used, so that a worker stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
