"""Every draw is logged before it is handed out: the one write a draw waits for, for a bounded
time."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Mapping
from typing import Any

from curriculum_env.errors import OwnerError, RejectedError, StoreError
from curriculum_env.store import Run, Store
from curriculum_env.types import Draw

logger = logging.getLogger(__name__)

WAIT_SECONDS = 0.05
HEARTBEAT_SECONDS = 5.0
_RETRY_SECONDS = 1.0


class DrawLog:
    """Writes draws and events in a thread of its own, which also keeps the owner's heartbeat.

    A draw that is not written within 50 ms is written later: `deferred` counts such draws. Should
    the process die before that, its log lacks them and a resume is inexact from there.
    """

    def __init__(self, store: Store, run: Run) -> None:
        self._store, self._run = store, run
        self._direct = store.url.startswith("memory")
        self._draws: list[Draw] = []
        self._events: list[tuple[str, Mapping[str, Any]]] = []
        self._work = threading.Condition()
        self._written = -1
        self._stopping = False
        self._pid = os.getpid()
        self._trouble = "the store is slow"
        self.deferred = 0
        self.lost: OwnerError | None = None
        self._warned = False
        self._thread = threading.Thread(target=self._loop, name="curriculum-log", daemon=True)
        if not self._direct:
            self._thread.start()

    def append(self, draw: Draw) -> None:
        """Log `draw`.

        Raises:
            OwnerError: another curriculum took the store over, or this is a forked child; two must
                not draw from one store.
            StoreError: the log is closed.
        """
        if self.lost is not None:
            raise self.lost
        if os.getpid() != self._pid:
            raise OwnerError(
                f"process {os.getpid()} is a fork of the one that draws from {self._store.url}; "
                "expected one process to draw: open a curriculum of its own in the child"
            )
        if self._stopping:
            raise StoreError("the curriculum is closed: ask() before close()")
        if self._direct:
            self._store.append_draws(self._run, [draw])
            return
        with self._work:
            self._draws.append(draw)
            self._work.notify_all()
            done = self._work.wait_for(lambda: self._written >= draw.number, WAIT_SECONDS)
        if not done:
            self._defer()

    def event(self, kind: str, data: Mapping[str, Any]) -> None:
        """Log an event soon, without waiting."""
        if self._direct:
            self._store.log_event(kind, data)
            return
        with self._work:
            self._events.append((kind, data))
            self._work.notify_all()

    def close(self, timeout: float = 4.0) -> None:
        """Write what is left, for at most `timeout` seconds."""
        with self._work:
            self._stopping = True
            self._work.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout)
        if self._draws:
            logger.warning(
                "%d draws could not be logged to %s; a resume will not replay them",
                len(self._draws), self._store.url,
            )  # fmt: skip

    def _defer(self) -> None:
        self.deferred += 1
        if not self._warned:
            self._warned = True
            logger.warning(
                "a draw could not be logged to %s within %d ms (%s); drawing goes on and is logged "
                "as soon as that is possible, but a kill before that makes resume inexact",
                self._store.url, WAIT_SECONDS * 1000, self._trouble,
            )  # fmt: skip

    def _loop(self) -> None:
        beat = time.monotonic()
        while True:
            with self._work:
                self._work.wait_for(self._has_work, HEARTBEAT_SECONDS)
                draws, events = list(self._draws), list(self._events)
                if self._stopping and not (draws or events):
                    return
            wrote = self._write(draws, events)
            if time.monotonic() - beat >= HEARTBEAT_SECONDS:
                beat = time.monotonic()
                self._beat()
            if not wrote:
                if self._stopping:
                    return
                time.sleep(_RETRY_SECONDS)

    def _has_work(self) -> bool:
        return bool(self._draws or self._events or self._stopping)

    def _write(self, draws: list[Draw], events: list[tuple[str, Mapping[str, Any]]]) -> bool:
        """Events first: a draw of a row that was made on the way is no use without that row."""
        try:
            for kind, data in events:
                self._note(kind, data)
                with self._work:
                    del self._events[0]
            if draws:
                self._append(draws)
                with self._work:
                    del self._draws[: len(draws)]
                    self._written = draws[-1].number
                    self._work.notify_all()
        except OwnerError as error:
            self.lost = error
            return False
        except StoreError as error:
            self._trouble = str(error)
            return False
        return True

    def _note(self, kind: str, data: Mapping[str, Any]) -> None:
        """An event that the database refuses must not hold up what comes after it."""
        try:
            self._store.log_event(kind, data)
        except RejectedError as error:
            logger.warning("an event (%s) is not logged: %s", kind, error)

    def _append(self, draws: list[Draw]) -> None:
        """One draw that the database refuses must not hold up the others: it stays out."""
        try:
            self._store.append_draws(self._run, draws)
        except RejectedError as error:
            if len(draws) > 1:
                for draw in draws:
                    self._append([draw])
                return
            self.deferred += 1
            logger.warning("draw %d is not logged: %s", draws[0].number, error)

    def _beat(self) -> None:
        try:
            self._store.heartbeat()
        except OwnerError as error:
            self.lost = error
        except StoreError as error:
            logger.debug("heartbeat failed: %s", error)
