"""How much of a processor a service takes from the rollouts beside it."""

from __future__ import annotations

import time
from dataclasses import dataclass

_SAVED_SECONDS = 1.0


@dataclass(frozen=True)
class Effort:
    """Shares of a processor's time: for reading the pool at first, and for making tasks."""

    reading: float = 1.0
    making: float = 1.0


UNLIMITED = Effort()
BESIDE_DRAWS = Effort(reading=0.2, making=0.03)
"""Of a service in the process that draws."""


class ProcessorShare:
    """Keeps the processor time of the calling thread within `share` of the clock; what was not
    used is saved up for one second at most."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._ahead = _SAVED_SECONDS * share
        self._clock, self._used = time.monotonic(), time.thread_time()

    @property
    def debt(self) -> float:
        """The seconds to rest before more may be used; 0 where some is left."""
        clock, used = time.monotonic(), time.thread_time()
        gained = self._share * (clock - self._clock) - (used - self._used)
        self._ahead = min(self._ahead + gained, _SAVED_SECONDS * self._share)
        self._clock, self._used = clock, used
        return 0.0 if self._share >= 1.0 else max(-self._ahead / self._share, 0.0)
