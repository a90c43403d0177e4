"""A generator's candidates, made before they are needed, in a thread of their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """Calls `make(number)` for rising numbers, one at a time, in the order in which they will be
    asked for. What is not ready by then is waited for, so the results do not depend on the pace.
    """

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make
        self._futures: dict[int, Future[T]] = {}
        self._turn = threading.Lock()
        self._pid = os.getpid()

    def start(self, first: int, count: int) -> None:
        """Begin with the numbers `first` to `first + count - 1`, unless that has been done."""
        if first in self._futures:
            return
        self.stop()
        self._pid = os.getpid()
        self._futures = {number: Future() for number in range(first, first + count)}
        work = list(self._futures.items())
        thread = threading.Thread(
            target=self._run, args=(work,), name="curriculum-rows", daemon=True
        )
        thread.start()

    def take(self, number: int) -> T:
        """What `make` returns for `number`; raises what it raises."""
        future = self._futures.pop(number, None)
        if future is None or self._pid != os.getpid():  # a fork leaves the thread behind
            return self._make(number)
        return future.result()

    def stop(self) -> None:
        """Make nothing further than the candidate in work."""
        for future in self._futures.values():
            future.cancel()
        self._futures = {}

    def _run(self, work: list[tuple[int, Future[T]]]) -> None:
        with self._turn:
            for number, future in work:
                if future.set_running_or_notify_cancel():
                    try:
                        future.set_result(self._make(number))
                    except BaseException as error:
                        future.set_exception(error)
