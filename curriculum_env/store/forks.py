"""Keeps a fork away from open database connections.

Neither an SQLite nor a PostgreSQL connection may cross a fork: SQLite's in-process record of its
file locks goes stale in the child, and both processes would talk over one PostgreSQL socket. So a
fork waits until the stores' calls have ended and closes their idle connections first; parent and
child open new ones when they need them. `subprocess` does not fork in this sense.
"""

from __future__ import annotations

import logging  # noqa: F401  (its lock is taken at a fork too: ours must be taken before it)
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from weakref import WeakSet

_PATIENCE = 30.0  # seconds a fork waits for calls to end: a fork must never hang

_gates: WeakSet[ForkGate] = WeakSet()
_held: list[ForkGate] = []
_waiting = False


def fork_waits() -> bool:
    """Whether a fork waits for the stores' calls: one that only waits for a lock should give up."""
    return _waiting


class ForkGate:
    """Calls run side by side inside `call()`; a fork runs only between them."""

    def __init__(self, close_connections: Callable[[], None] | None = None) -> None:
        self._close_connections = close_connections
        self._idle = Condition()
        self._calls = 0
        if close_connections is not None:
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
        self._idle.wait_for(lambda: self._calls == 0, _PATIENCE)
        if self._close_connections is not None:
            self._close_connections()

    def let_go(self) -> None:
        self._idle.release()

    def forget_calls(self) -> None:
        """In the child: the threads that made them are not there."""
        self._calls = 0


opening = ForkGate()
"""Held by who opens a store: the child could never finish the imports that another thread of its
parent had begun."""


def _before_fork() -> None:
    global _waiting
    _waiting = True
    opening.hold()  # first: opening a store passes through that store's own gate
    _held.append(opening)
    for gate in list(_gates):
        gate.hold()
        _held.append(gate)


def _after_fork() -> None:
    global _waiting
    _waiting = False
    while _held:
        _held.pop().let_go()


def _after_fork_in_child() -> None:
    for gate in _held:
        gate.forget_calls()
    _after_fork()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
)
