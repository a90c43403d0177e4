"""Variants of a task: others that the same family makes.

What a scorer has to know of a task only reasoning-gym can make, so no model writes these. They have
indices far beyond those of any pool.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace

from curriculum_env import Row
from reasoning_gym_curriculum import child
from reasoning_gym_curriculum.confined import Made
from reasoning_gym_curriculum.dataset import held_out, row_of
from reasoning_gym_curriculum.process import LateError

logger = logging.getLogger(__name__)

FIRST = 250_000
COUNT = 5_000
"""Variants of each level of a family: more data sets would have to be made for more."""
TRIES = 8

STEPS = {"numbers": (0, 1.0), "harder": (1, 1.25), "easier": (-1, 0.8)}
"""The kinds made here: how many levels apart, and the relative difficulty."""


def vary(parent: Row, kind: str, number: int) -> Row | None:
    """Variant `number` (0, 1, ...) of the parent: the same for the same number. None where the
    family has no such level, or makes no sound task that is not held out."""
    family, seed = parent.data["family"], parent.data["seed"]
    step, factor = STEPS.get(kind, (None, 1.0))
    if step is None or (level := parent.data["level"] + step) not in child.catalogue()[family]:
        return None
    for attempt in range(TRIES):
        for task in _made(family, level, seed, _index(parent.uid, kind, number, attempt)):
            if not held_out(task.question):
                row = row_of(family, level, seed, task)
                return replace(row, parent=parent.uid, factor=factor)
    return None


def _index(uid: str, kind: str, number: int, attempt: int) -> int:
    digest = hashlib.sha256(f"{uid} {kind} {number} {attempt}".encode()).digest()
    return FIRST + int.from_bytes(digest[:8], "big") % COUNT


def _made(family: str, level: int, seed: int, index: int) -> list[Made]:
    try:
        return child.make(family, level, seed, index, 1)
    except LateError as error:
        logger.warning("Made no variant of %s, level %d: %s", family, level, error)
        return []
