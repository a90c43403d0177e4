"""Finds the environments of this Python."""

from __future__ import annotations

import re
from importlib import metadata
from importlib.util import find_spec
from typing import NamedTuple

from verifiers.v1.utils.loaders import taskset_class

from curriculum_env.adapters.verifiers.taskset import CurriculumMixin


class Environment(NamedTuple):
    """An installed taskset with a curriculum."""

    id: str
    version: str
    taskset: str
    summary: str


def installed_environments() -> list[Environment]:
    """Those of the distributions that depend on this one, by name."""
    candidates = {_name(found): found for found in metadata.distributions() if _depends(found)}
    return [found for name in sorted(candidates) if (found := _environment(candidates[name]))]


def _name(distribution: metadata.Distribution) -> str:
    return str(distribution.metadata["Name"])


def _depends(distribution: metadata.Distribution) -> bool:
    return any(re.match(r"curriculum[-_.]env\b", need) for need in distribution.requires or ())


def _environment(distribution: metadata.Distribution) -> Environment | None:
    name = _name(distribution)
    if find_spec(name.replace("-", "_").lower()) is None:
        return None
    try:
        taskset = taskset_class(name)
    except (ImportError, TypeError, AttributeError, ValueError):
        return None
    if not issubclass(taskset, CurriculumMixin):
        return None
    summary = str(distribution.metadata["Summary"] or "")
    return Environment(name, distribution.version, taskset.__name__, summary)
