"""Says so, once, where new tasks are asked for and nobody makes any."""

from __future__ import annotations

import logging

from curriculum_env.engine.arrivals import Arrivals
from curriculum_env.store import Store
from curriculum_env.store.queue import STATUS, Augmentation, Queue

logger = logging.getLogger(__name__)

PATIENCE = 512


class Unserved:
    """Looks once whether a service was ever there: when no more tasks can be asked for, or after
    `PATIENCE` groups while some are. `elsewhere` says that a process of its own is to make them."""

    def __init__(self, store: Store, arrivals: Arrivals, *, elsewhere: bool) -> None:
        self._store, self._arrivals, self._elsewhere = store, arrivals, elsewhere
        self._groups = 0
        self._looked = False

    def graded(self, room: int) -> None:
        """A group was graded; so many more tasks may be asked for in all."""
        if self._looked:
            return
        in_work = self._arrivals.in_work
        self._groups += in_work > 0
        if in_work and (room <= 0 or self._groups >= PATIENCE):
            self._looked = True
            self._arrivals.write(self._look)

    def _look(self, queue: Queue) -> None:
        if self._store.events(STATUS) or any(map(_touched, queue.items())):
            return
        logger.warning(
            "%d new tasks are asked for, and nothing has begun to make one: %s",
            queue.open_count(), self._advice(),
        )  # fmt: skip

    def _advice(self) -> str:
        if self._elsewhere:
            return f"start `curriculum-env augment {self._store.url}` beside this run"
        return (
            "a Curriculum alone makes none; make them in your loop (build_service of "
            "curriculum_env.augment.build), use a taskset, or set augment.enabled to false"
        )


def _touched(item: Augmentation) -> bool:
    """Whether anyone ever took the item up."""
    return item.state != "asked" or bool(item.owner) or item.tries > 0
