"""Tasks once made, kept in the user's cache: the slower families take a second for each."""

from __future__ import annotations

import json
import logging
import os
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

from reasoning_gym_curriculum import child
from reasoning_gym_curriculum.confined import Made
from reasoning_gym_curriculum.process import LateError

logger = logging.getLogger(__name__)


def folder() -> Path:
    """Where they lie: by version of this package and of reasoning-gym."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    made_by = "-".join(version(name) for name in ("reasoning-gym-curriculum", "reasoning-gym"))
    return Path(home) / "curriculum-env" / "reasoning-gym" / made_by


def make(family: str, level: int, seed: int, start: int, count: int) -> list[Made]:
    """The sound ones of `count` tasks from the index `start` on: none of them, with a warning,
    when making them takes too long."""
    file = folder() / family / f"{level}-{seed}-{start}-{count}.json"
    try:
        return [Made(*task) for task in json.loads(file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        pass
    try:
        made = child.make(family, level, seed, start, count)
    except LateError as error:
        logger.warning("Left out %d tasks of %s, level %d: %s", count, family, level, error)
        return []
    _keep(file, made)
    return made


def _keep(file: Path, made: list[Made]) -> None:
    """Write the tasks; a home that cannot be written to costs time, and nothing else."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as draft:
            json.dump(made, draft)
        os.replace(draft.name, file)
    except OSError as error:
        logger.info("Tasks are not kept for the next time: %s", error)
