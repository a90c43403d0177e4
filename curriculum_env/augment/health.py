"""Whether the services that make variants answer, and how long to leave them alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

DOWN = 3
"""So many failures in a row, whatever the item, and a service counts as down."""

_FIRST, _LONGEST = 1.0, 60.0


@dataclass(slots=True)
class Health:
    """Counts failures in a row. Once down, one try goes out at a time, after a pause that doubles
    from 1 s to 60 s. `reason` is what was said last."""

    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    reason: str = ""
    _until: float = 0.0

    @property
    def down(self) -> bool:
        return self.failures >= DOWN

    def succeeded(self) -> None:
        """A service answered."""
        self.failures, self.reason, self._until = 0, "", 0.0

    def failed(self, reason: str, *, for_good: bool = False) -> None:
        """A service failed; `for_good` where trying again soon is of no use."""
        self.failures = max(self.failures + 1, DOWN if for_good else 0)
        self.reason = reason
        doublings = min(self.failures - DOWN, 10)
        pause = _LONGEST if for_good else min(_FIRST * 2.0 ** max(doublings, 0), _LONGEST)
        self._until = self.clock() + pause

    def room(self, free: int, at_work: int) -> int:
        """How many of `free` places may be filled while `at_work` are."""
        if not self.down:
            return free
        return 1 if at_work == 0 and self.clock() >= self._until else 0
