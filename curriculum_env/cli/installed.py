"""Finds the environments of this Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from verifiers.v1.utils.loaders import taskset_class

from curriculum_env.adapters.verifiers.taskset import CurriculumMixin

_IMPORT = re.compile(r"^\s*(from|import) curriculum_env\b", re.MULTILINE)


class Environment(NamedTuple):
    """An installed taskset with a curriculum."""

    id: str
    version: str
    taskset: str
    summary: str


def installed_environments() -> list[Environment]:
    """Those of the distributions that use this one, by name."""
    candidates = {_name(found): found for found in metadata.distributions() if _uses(found)}
    return [found for name in sorted(candidates) if (found := _environment(candidates[name]))]


def _name(distribution: metadata.Distribution) -> str:
    return str(distribution.metadata["Name"])


def _uses(distribution: metadata.Distribution) -> bool:
    """Whether it says that it depends on this one, or the module of its name imports this one:
    only such a module is loaded."""
    declared = any(re.match(r"curriculum[-_.]env\b", need) for need in distribution.requires or ())
    return declared or any(_IMPORT.search(_text(file)) for file in _sources(distribution))


def _sources(distribution: metadata.Distribution) -> Iterable[Path]:
    """The files at the top of the module that has the distribution's name."""
    name = _module(distribution)
    found = find_spec(name) if name.isidentifier() else None
    if found is None or found.origin is None or name == "curriculum_env":
        return ()
    file = Path(found.origin)
    return file.parent.glob("*.py") if file.name == "__init__.py" else (file,)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.suffix == ".py" else ""


def _module(distribution: metadata.Distribution) -> str:
    return _name(distribution).replace("-", "_").lower()


def _environment(distribution: metadata.Distribution) -> Environment | None:
    name = _name(distribution)
    if find_spec(_module(distribution)) is None:
        return None
    try:
        taskset = taskset_class(name)
    except (ImportError, TypeError, AttributeError, ValueError):
        return None
    if not issubclass(taskset, CurriculumMixin):
        return None
    summary = str(distribution.metadata["Summary"] or "")
    return Environment(name, distribution.version, taskset.__name__, summary)
