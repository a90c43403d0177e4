"""How fast requests go out: a rate limit, and holding back together when the service is full."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

FULL = (429, 503)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_FIRST_GAP, _LONGEST_GAP = 0.05, 5.0


@dataclass(slots=True)
class Pace:
    """Spaces requests and, when one is told that the service is full, holds all of them back.

    `per_minute` (None: no limit) counts every request, those that the client repeats as well.
    After an answer of 429 or 503 no request goes out for as long as Retry-After asks, at most
    `patience` seconds, or else for a pause that doubles from wave to wave; then they go out one
    after the other, with a gap that doubles with each wave and shrinks with each success.
    """

    per_minute: float | None = None
    patience: float = 120.0
    told: Callable[[str], None] = lambda reason: None
    """Hears of each answer that the service is full."""
    waves: int = 0
    """How often the service said that it was full, those told while held back not counted."""
    _next: float = 0.0
    _resume: float = 0.0
    _pause: float = _FIRST_PAUSE
    _gap: float = 0.0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def before(self) -> None:
        """Wait for this request's turn."""
        async with self._turn:
            while (wait := max(self._next, self._resume) - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            least = 60.0 / self.per_minute if self.per_minute else 0.0
            self._next = time.monotonic() + max(least, self._gap)

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """A request was answered with an HTTP status and headers."""
        if status in FULL:
            self.told(f"HTTP {status}")
            self._hold(_retry_after(headers))
        elif status < 400:
            self._pause = _FIRST_PAUSE
            self._gap = 0.0 if self._gap < _FIRST_GAP else 0.8 * self._gap

    def _hold(self, asked: float | None) -> None:
        now = time.monotonic()
        pause = self._pause if asked is None else min(asked, self.patience)
        if now >= self._resume:
            self.waves += 1
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            self._gap = min(max(2 * self._gap, _FIRST_GAP), _LONGEST_GAP)
        elif asked is None:
            return
        self._resume = max(self._resume, now + pause)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a Retry-After header (seconds or a date, RFC 9110) asks for."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        date = email.utils.parsedate_tz(value)
        if date is None:
            return None
        seconds = email.utils.mktime_tz(date) - time.time()
    return seconds if 0 < seconds < float("inf") else None
