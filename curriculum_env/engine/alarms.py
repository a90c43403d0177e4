"""What a curriculum warns of, once each."""

from __future__ import annotations

import logging

logger = logging.getLogger("curriculum_env.engine")

SILENT_DRAWS = 512


class Alarms:
    """Counts what went wrong and says so the first time."""

    def __init__(self) -> None:
        self.forced = 0
        self._silent = False
        self._outcomes = self._draws = 0

    def force(self, rows: int) -> None:
        """A row was drawn though none was available."""
        self.forced += 1
        if self.forced == 1:
            logger.warning(
                "none of the %d rows is available (leased, cooling or used up), so the one out "
                "longest is drawn again; enlarge the pool, or lower cooldown or the number of "
                "groups in flight", rows,
            )  # fmt: skip

    def silence(self, outcomes: int, url: str) -> None:
        """A draw was made when so many outcomes had come in all."""
        self._draws += 1
        if outcomes != self._outcomes:
            self._outcomes, self._draws = outcomes, 0
        elif self._draws >= SILENT_DRAWS and not self._silent:
            self._silent = True
            logger.warning(
                "%d draws, no outcome: do trainer and workers see the same store? (here: %s)",
                self._draws, url,
            )  # fmt: skip
