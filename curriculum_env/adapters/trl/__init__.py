"""TRL's trainers with a live curriculum; importing a name needs the extra `trl`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curriculum_env.adapters.trl.config import CurriculumGRPOConfig, CurriculumRLOOConfig
    from curriculum_env.adapters.trl.trainer import CurriculumGRPOTrainer, CurriculumRLOOTrainer

_HOMES = {
    "CurriculumGRPOConfig": "config",
    "CurriculumGRPOTrainer": "trainer",
    "CurriculumRLOOConfig": "config",
    "CurriculumRLOOTrainer": "trainer",
}

__all__ = [
    "CurriculumGRPOConfig",
    "CurriculumGRPOTrainer",
    "CurriculumRLOOConfig",
    "CurriculumRLOOTrainer",
]


def __getattr__(name: str) -> Any:
    """Load TRL where it is first used; raises `ConfigError` where it is missing or too new."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    from curriculum_env.adapters.trl.versions import require_trl

    require_trl()
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
