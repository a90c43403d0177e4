"""Outcomes from the store into memory, so that a draw never waits for a query."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from curriculum_env.errors import StoreError
from curriculum_env.store import OutcomeReader, Store
from curriculum_env.types import Outcome

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.2
_RETRY_SECONDS = 1.0
_BATCH = 4096
_BACKLOG = 65_536


class Feed:
    """A thread that polls the store and fills a queue; a store in memory is read directly. `also`
    is called with each poll, and a last time at the end; it may raise `StoreError`."""

    def __init__(
        self, store: Store, reader: OutcomeReader, also: Callable[[], None] = lambda: None
    ) -> None:
        self._reader, self._also = reader, also
        self._queue: deque[Outcome] = deque()
        self._direct = store.url.startswith("memory")
        self._turn = threading.Condition()
        self._reading = threading.Lock()
        self._begun = self._ended = self._wanted = 0
        self._stopping = False
        self._thread = threading.Thread(target=self._loop, name="curriculum-feed", daemon=True)
        if not self._direct:
            self._thread.start()

    def take(self, limit: int) -> list[Outcome]:
        """At most `limit` outcomes that have arrived."""
        if self._direct:
            return self._reader.read(limit)
        return [self._queue.popleft() for _ in range(min(limit, len(self._queue)))]

    def settle(self) -> tuple[list[Outcome], Any]:
        """All that has been read and not taken, and the reader's cursor right after it."""
        with self._reading:
            waiting = list(self._queue)
            self._queue.clear()
            return waiting, self._reader.cursor

    def wait(self, timeout: float) -> None:
        """Wait until a round of polls that began after this call has read all there was, at most
        `timeout` seconds."""
        if self._direct:
            return
        with self._turn:
            target = self._wanted = self._begun + 1
            self._turn.notify_all()
            self._turn.wait_for(lambda: self._ended >= target, timeout)

    def close(self) -> None:
        """Stop polling."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def _loop(self) -> None:
        failing = False
        while True:
            with self._turn:
                pause = _RETRY_SECONDS if failing else POLL_SECONDS
                self._turn.wait_for(lambda: self._stopping or self._wanted > self._begun, pause)
                if self._stopping:
                    break
                self._begun += 1
            failing = not self._round(failing)
            with self._turn:
                self._ended = self._begun
                self._turn.notify_all()
        with suppress(StoreError):
            self._also()

    def _round(self, failing: bool) -> bool:
        """Read until nothing is left or enough is waiting; False where the store failed."""
        try:
            while self._read() and len(self._queue) < _BACKLOG and not self._stopping:
                pass
            self._also()
        except StoreError as error:
            if not failing:
                logger.warning("outcomes cannot be read, retrying: %s", error)
            return False
        return True

    def _read(self) -> bool:
        """Read one batch; whether there may be more."""
        with self._reading:
            outcomes = self._reader.read(_BATCH)
            self._queue.extend(outcomes)
        return len(outcomes) == _BATCH
