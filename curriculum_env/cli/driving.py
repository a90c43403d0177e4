"""Something that takes its time, driven to its end: Ctrl-C lets it finish, a second one cancels."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol

from curriculum_env.cli.interrupts import ignore


class Driven(Protocol):
    """Rollouts side by side."""

    def run(self) -> Coroutine[Any, Any, None]:
        """Play them; cancelling it cancels those in flight."""

    def stop(self) -> None:
        """Start no further rollout; those in flight finish."""


async def drive(session: Driven, note: Callable[[str], None]) -> bool:
    """Run the session; returns whether a signal ended it early."""
    loop = asyncio.get_running_loop()
    running = loop.create_task(session.run())
    came: Counter[str] = Counter()

    def interrupt() -> None:
        came["count"] += 1
        if came["count"] == 1:
            session.stop()
            note("Stopping: the rollouts in flight finish; Ctrl-C again cancels them.")
        else:
            terminate()

    def terminate() -> None:
        came["count"] += 1
        running.cancel()

    loop.add_signal_handler(signal.SIGINT, interrupt)
    loop.add_signal_handler(signal.SIGTERM, terminate)
    with suppress(asyncio.CancelledError):
        await running
    loop.remove_signal_handler(signal.SIGINT)
    if came.total():
        ignore()
    return came.total() > 0
