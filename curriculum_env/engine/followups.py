"""Groups that a rule wants continued, before anything else is drawn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from curriculum_env.engine.plan import Planned
from curriculum_env.samplers import Followup
from curriculum_env.types import BoolArray, Draw


class Followups:
    """A queue in which each group is continued once, even where its continuation is in the log."""

    def __init__(self) -> None:
        self._queue: deque[Followup] = deque()
        self._continued: set[int] = set()

    def add(self, followups: Iterable[Followup]) -> None:
        """Queue what has not been continued yet."""
        self._queue.extend(item for item in followups if item.continues not in self._continued)

    def drew(self, draws: Iterable[Draw]) -> None:
        """These draws were made, here or by an earlier process."""
        self._continued.update(draw.continues for draw in draws if draw.continues is not None)

    def next(self, leased_N: BoolArray) -> Planned | None:
        """The first whose row is not leased, if any."""
        for _ in range(len(self._queue)):
            item = self._queue.popleft()
            if not leased_N[item.row]:
                return Planned(item.row, 1.0, item.rollouts, item.continues)
            self._queue.append(item)
        return None

    def state_dict(self, uid: Callable[[int], str]) -> dict[str, Any]:
        queue = [[uid(item.row), item.rollouts, item.continues] for item in self._queue]
        return {"queue": queue, "continued": sorted(self._continued)}

    def load_state_dict(self, state: dict[str, Any], row: Callable[[str], int | None]) -> None:
        self._continued = set(state["continued"])
        for uid, rollouts, continues in state["queue"]:
            found = row(uid)
            if found is not None:
                self._queue.append(Followup(found, rollouts, continues))
