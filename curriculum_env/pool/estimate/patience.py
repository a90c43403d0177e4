"""When to stop asking a service that does not answer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

FAILURES = 3
REFUSALS = 8


@dataclass(slots=True)
class Patience:
    """Gives a service `seconds` to succeed again once it fails, and `silence` seconds to say
    anything at all. `verdict` is why it is given up, one clause, or None."""

    seconds: float
    silence: float
    clock: Callable[[], float] = time.monotonic
    verdict: str | None = None
    _failures: int = 0
    _refused: int = 0
    _succeeded: bool = False
    _since: float = field(init=False)
    _kinds: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._since = self.clock()

    def succeeded(self) -> None:
        """A rollout came back."""
        self._since, self._failures, self._succeeded = self.clock(), 0, True
        self._kinds.clear()

    def failed(self, reason: str) -> None:
        """A request failed by the service's fault."""
        self._failures += 1
        self._kinds[reason] += 1
        self.look()

    def refused(self, reason: str) -> None:
        """The service will not take a row; where it has taken none at all, it never will."""
        self._refused += 1
        if self._refused >= REFUSALS and not self._succeeded:
            self.give_up(f"the first {self._refused} tasks were all refused (last: {reason})")

    def look(self) -> None:
        """Give the service up if it is time to; to be called now and then while nothing happens."""
        waited = self.clock() - self._since
        if waited >= self.seconds:
            self.end()
        if waited >= self.silence:
            self.give_up(f"no rollout has come back for {waited:.0f} s")

    def end(self) -> None:
        """Give the service up if all it did of late was to fail, however short a time that was."""
        if self._failures >= FAILURES:
            self.give_up(
                f"no rollout has come back for {self.clock() - self._since:.0f} s, "
                f"{self._failures} requests failed in a row (mostly: "
                f"{self._kinds.most_common(1)[0][0]})"
            )

    def give_up(self, reason: str) -> None:
        """Stop for this reason, unless there was one before."""
        self.verdict = self.verdict or reason
