"""Keeps a fork away from open database connections.

Neither an SQLite nor a PostgreSQL connection may cross a fork: SQLite's in-process record of its
file locks goes stale in the child, and both processes would talk over one PostgreSQL socket. So a
fork waits until the stores' calls have ended and closes their idle connections first; parent and
child open new ones when they need them. `subprocess` does not fork in this sense.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from weakref import WeakSet

_gates: WeakSet[ForkGate] = WeakSet()
_held: list[ForkGate] = []


class ForkGate:
    """Calls run side by side inside `call()`; a fork runs only between them."""

    def __init__(self, close_connections: Callable[[], None]) -> None:
        self._close_connections = close_connections
        self._idle = Condition()
        self._calls = 0
        _gates.add(self)

    @contextmanager
    def call(self) -> Iterator[None]:
        with self._idle:
            self._calls += 1
        try:
            yield
        finally:
            with self._idle:
                self._calls -= 1
                self._idle.notify_all()

    def hold(self) -> None:
        self._idle.acquire()
        self._idle.wait_for(lambda: self._calls == 0)
        self._close_connections()

    def let_go(self) -> None:
        self._idle.release()


def _before_fork() -> None:
    for gate in list(_gates):
        gate.hold()
        _held.append(gate)


def _after_fork() -> None:
    while _held:
        _held.pop().let_go()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
