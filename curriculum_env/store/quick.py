"""Single rows into an SQLite file from the thread that has them, without waiting.

Such a commit takes about 20 µs of the processor and goes into the operating system's memory, not
to the disk. The caller may be an event loop, so where the row cannot go in at once (a lock held
for more than 1 ms, a commit that lately took more than 25 ms, any error) the answer is None, and
the row is the caller's to write the longer way. A system that stalls all writes holds the caller
up for as long, but once: the next rows go the longer way for 5 s, and each further time for twice
as long. Checkpoints, which do wait for the disk, run in a thread.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from curriculum_env.store.forks import ForkGate

_LOCK_SECONDS = 0.001  # how long to wait for somebody else's lock
_SLOW_SECONDS = 0.025  # a commit that took longer was waiting for something
_REST_SECONDS, _LONGEST_REST = 5.0, 300.0  # no more of them for so long then
_CHECKPOINT_COMMITS = 256  # about the 1,000 pages of SQLite's own checkpoints
_LONG_LOG = 4096  # pages, 16 MB


class QuickWriter:
    """One connection to the file `path`, for any thread; no fork comes between its calls."""

    def __init__(self, path: Path, gate: ForkGate) -> None:
        self._uri = f"{path.as_uri()}?mode=rw"
        self._gate = gate
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._commits = 0
        self._rest, self._rests_until = _REST_SECONDS, 0.0

    def write(self, statement: str, values: tuple[Any, ...]) -> int | None:
        """The number of rows `statement` wrote, durable; None where that could not be at once."""
        begun = time.monotonic()
        if begun < self._rests_until or not self._lock.acquire(timeout=_LOCK_SECONDS):
            return None
        try:
            written = self._opened().execute(statement, values).rowcount
        except (sqlite3.Error, OverflowError):
            return None
        finally:
            self._lock.release()
            ended = time.monotonic()
            if ended - begun > _SLOW_SECONDS:
                self._rests_until = ended + self._rest
                self._rest = min(2 * self._rest, _LONGEST_REST)
        self._committed()
        return written

    def close(self) -> None:
        """Close the connection; a later `write` opens another."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect(_LOCK_SECONDS)
            self._connection.execute("PRAGMA wal_autocheckpoint=0")
        return self._connection

    def _connect(self, timeout: float) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    def _committed(self) -> None:
        self._commits += 1
        if self._commits % _CHECKPOINT_COMMITS == 0:
            with suppress(RuntimeError):  # no new thread at the interpreter's end
                Thread(target=self._checkpoint, name="curriculum-checkpoint", daemon=True).start()

    def _checkpoint(self) -> None:
        """SQLite starts its log anew only after a checkpoint of all of it, and others may write
        meanwhile: where it has become long, they are kept out until the rest is done."""
        with (
            suppress(sqlite3.Error),  # the next one does it
            self._gate.call(),
            closing(self._connect(_LOCK_SECONDS)) as connection,
        ):
            frames, done = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1:]
            if done < frames > _LONG_LOG:
                connection.execute("PRAGMA wal_checkpoint(FULL)")
