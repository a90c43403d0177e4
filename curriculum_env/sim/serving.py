"""Plays the service that makes new tasks, in the loop's own process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from curriculum_env.store.queue import Augmentation, Queue
from curriculum_env.types import Row

Make: TypeAlias = Callable[[Augmentation], Row | str]
"""The task that is asked for or, where there is none, the reason in one word."""

_OWNER = "loop"
_AT_ONCE, _SECONDS = 64, 3600.0


def serve(queue: Queue, make: Make) -> int:
    """Make all that is asked for; returns how many tasks there were."""
    if not queue.open_count():
        return 0
    accepted = 0
    while items := queue.claim(_OWNER, _AT_ONCE, _SECONDS):
        for item in items:
            found = make(item)
            if isinstance(found, str):
                queue.discard(item, found)
            else:
                accepted += queue.accept(item, found)
    return accepted
