"""How many rollouts a draw gets, as configured or as seen."""

from __future__ import annotations

import logging
from collections import Counter, deque
from typing import Any

logger = logging.getLogger(__name__)

ASSUMED = 8


class GroupSize:
    """`value` is the configured size, or the one inferred from the outcomes, None until then.

    A draw that got no outcome among the last `QUIET` ones is taken to be finished; its number of
    outcomes is a vote. Unset, the size is the most frequent vote once there are three; set, eight
    votes of which most differ from it are warned about, and one draw in four is enough to tell.
    """

    QUIET = 64

    def __init__(self, configured: int | None) -> None:
        self.value = configured
        self._configured = configured is not None
        self._warned = False
        self._total = 0
        self._votes: Counter[int] = Counter()
        self._count: Counter[int] = Counter()
        self._last: dict[int, int] = {}
        self._order: deque[tuple[int, int]] = deque()

    @property
    def assumed(self) -> int:
        """The value, or a common group size while it is not known."""
        return self.value or ASSUMED

    def asks(self, draw: int) -> bool:
        """Whether the outcomes of `draw` are to be counted."""
        return self.value is None or draw % 4 == 0

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
                self._votes[self._count.pop(quiet)] += 1
                inferred = self._judge() or inferred
        return inferred

    def _judge(self) -> bool:
        votes = self._votes.total()
        if self.value is None and votes >= 3:
            self.value = self._votes.most_common(1)[0][0]
            logger.info("group_size inferred from the outcomes: %d", self.value)
            return True
        if self._configured and not self._warned and votes >= 8:
            seen, share = self._votes.most_common(1)[0]
            if seen != self.value and share > votes / 2:
                self._warned = True
                logger.warning(
                    "group_size is configured as %s but most draws get %d rollouts; "
                    "set curriculum.group_size = %d, or the trainer's group size to match",
                    self.value, seen, seen,
                )  # fmt: skip
        return False

    def state_dict(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "warned": self._warned,
            "total": self._total,
            "votes": sorted(self._votes.items()),
            "count": sorted(self._count.items()),
            "order": list(self._order),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if not self._configured:
            self.value = state["value"]
        self._warned, self._total = state["warned"], state["total"]
        self._votes = Counter(dict(state["votes"]))
        self._count = Counter(dict(state["count"]))
        self._order = deque((draw, at) for draw, at in state["order"])
        self._last = dict(self._order)
