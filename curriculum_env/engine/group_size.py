"""How many rollouts a draw gets, as configured or as seen."""

from __future__ import annotations

import logging
from collections import Counter, deque
from typing import Any

logger = logging.getLogger(__name__)

ASSUMED = 8
WINDOW = 32
VOTING = 4


class GroupSize:
    """`value` is the configured size, or the one inferred from the outcomes, None until then.

    A draw that got no outcome among the last `QUIET` ones is taken to be finished; its number of
    outcomes is a vote. The size is what most of the last 32 votes say, once there are three of
    them, or eight where that differs from the size so far, which is then warned about. Once there
    is a size, one draw in four (`VOTING`) is enough.
    """

    QUIET = 64

    def __init__(self, configured: int | None) -> None:
        self.value = configured
        self._configured = configured is not None
        self._total = 0
        self._votes: deque[int] = deque(maxlen=WINDOW)
        self._count: Counter[int] = Counter()
        self._last: dict[int, int] = {}
        self._order: deque[tuple[int, int]] = deque()

    @property
    def assumed(self) -> int:
        """The value, or a common group size while it is not known."""
        return self.value or ASSUMED

    def counting(self, draw: int) -> bool:
        """Whether outcomes of `draw` came lately."""
        return draw in self._last

    def observe(self, draw: int) -> bool:
        """Count one outcome of `draw`; True where the size has just been inferred."""
        inferred = False
        self._total += 1
        self._count[draw] += 1
        self._last[draw] = self._total
        self._order.append((draw, self._total))
        while self._order[0][1] + self.QUIET <= self._total:
            quiet, at = self._order.popleft()
            if self._last.get(quiet) == at:
                del self._last[quiet]
                self._votes.append(self._count.pop(quiet))
                inferred = self._judge() or inferred
        return inferred

    def _judge(self) -> bool:
        """Take the most frequent of the latest votes; True where that changed the size."""
        seen, share = Counter(self._votes).most_common(1)[0]
        enough = 3 if self.value is None else 8
        if seen == self.value or len(self._votes) < enough or share <= len(self._votes) / 2:
            return False
        if self.value is None:
            logger.info("group_size inferred from the outcomes: %d", seen)
        else:
            logger.warning(
                "group_size is %s as %s but most draws get %d rollouts, so %d is used; set "
                "curriculum.group_size = %d, or the trainer's group size to match",
                "configured" if self._configured else "inferred", self.value, seen, seen, seen,
            )  # fmt: skip
        self.value = seen
        return True

    def state_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "total": self._total,
            "votes": list(self._votes),
            "count": sorted(self._count.items()),
            "order": list(self._order),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if not self._configured:
            self.value = state["value"]
        self._total = state["total"]
        self._votes = deque(state["votes"], WINDOW)
        self._count = Counter(dict(state["count"]))
        self._order = deque((draw, at) for draw, at in state["order"])
        self._last = dict(self._order)
