"""Ctrl-C ends the program with exit code 130, whenever it comes and however often."""

from __future__ import annotations

import signal
import sys
import time
from typing import NoReturn

CODE = 130

_ONE_SECONDS = 1.0


class Interrupts:
    """Answers Ctrl-C while its block runs.

    Code that is being imported may turn a `KeyboardInterrupt` into an error of its own: whatever
    leaves the block after one came leaves the program. What is pressed again within a second is
    the same one, so that it does not cut short what the first has begun.
    """

    def __init__(self) -> None:
        self._last: float | None = None

    def __enter__(self) -> Interrupts:
        self._last = None
        self._previous = signal.getsignal(signal.SIGINT)
        if self._previous is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._last is not None:
            leave()
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, self._previous)

    def heed(self) -> None:
        """Raise the `KeyboardInterrupt` that somebody swallowed, if one came."""
        if self._last is not None:
            raise KeyboardInterrupt

    def _interrupt(self, *_: object) -> None:
        now = time.monotonic()
        if self._last is None or now - self._last > _ONE_SECONDS:
            self._last = now
            raise KeyboardInterrupt


interrupts = Interrupts()


def ignore() -> None:
    """From here on Ctrl-C is not heard: the program is about to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def leave() -> NoReturn:
    """End the program."""
    ignore()
    sys.exit(CODE)
