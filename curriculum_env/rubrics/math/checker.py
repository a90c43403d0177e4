"""The math rubric's door: checks that are right in any thread and any event loop."""

from __future__ import annotations

import asyncio
import atexit
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from functools import cache
from threading import Lock
from typing import Any, Self, TypeAlias
from weakref import WeakSet

from curriculum_env.errors import ConfigError
from curriculum_env.rubrics.math.lanes import Lanes, closed
from curriculum_env.rubrics.math.thoughts import spoken
from curriculum_env.rubrics.math.verdict import GoldProblem, Verdict

Gold: TypeAlias = "str | int | float"

_MEMORY = 2 << 30
_IN_FLIGHT = 256  # golds queued at a time
_TAIL = 50_000  # characters of a completion that are looked at, from its end
_GOLD_LENGTH = 5_000


class MathChecker:
    """Compares answers in `workers` processes, which are started at the first check.

    At least two, so that one is always there for quick checks. Each may take `memory` bytes. All
    methods may be called from any thread, and from any number of event loops at once. A check
    takes at most six seconds once its turn has come; what takes longer is not correct. Close it,
    or use it as a context manager, or use the one of `default_checker()`; workers never outlive
    their parent.

    Raises:
        ConfigError: fewer than two workers, or too little memory to load the libraries.
    """

    _lanes: Lanes | None

    def __init__(self, workers: int = 2, *, memory: int = _MEMORY) -> None:
        if workers < 2:
            raise ConfigError(f"workers is {workers}; expected at least 2.")
        if memory < 512 << 20:
            raise ConfigError(f"memory is {memory} bytes; expected at least 512 MiB.")
        self._settings = (workers, memory)
        self._closed = False
        self._start_afresh()
        _all.add(self)

    async def verify(self, gold: Gold, completion: str, prompt: str | None = None) -> bool:
        """Whether `completion` answers `gold`; the event loop goes on meanwhile.

        With the `prompt` given, what merely repeats it is no answer.

        Raises:
            CheckerError: the checker is closed, or no worker can be started.
        """
        return (await self.check(gold, completion, prompt)).correct

    def verify_sync(self, gold: Gold, completion: str, prompt: str | None = None) -> bool:
        """`verify` for code without an event loop."""
        return self.check_sync(gold, completion, prompt).correct

    async def check(self, gold: Gold, completion: str, prompt: str | None = None) -> Verdict:
        """`verify`, with the reason and the answer found."""
        return _verdict(await asyncio.wrap_future(self._submit(gold, completion, prompt)))

    def check_sync(self, gold: Gold, completion: str, prompt: str | None = None) -> Verdict:
        """`check` for code without an event loop."""
        return _verdict(self._submit(gold, completion, prompt).result())

    def check_golds(self, golds: Iterable[Gold]) -> list[GoldProblem]:
        """Those of `golds` that cannot serve as gold answers, in their order.

        For the time of loading: empty ones, unreadable ones, ones that assert two values, whole
        sentences, and ones too costly to compare with.
        """
        return [
            GoldProblem(index, gold, reason)
            for index, gold, reply in self._ask_all(map(str, golds))
            if (reason := _reason(reply)) is not None
        ]

    def close(self) -> None:
        """End the workers; checks that wait raise CheckerError."""
        with self._lock:
            self._closed, lanes = True, self._lanes
            self._lanes = None
        if lanes is not None:
            lanes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- requests ----------------------------------------------------------------------------
    def _submit(self, gold: Gold, completion: str, prompt: str | None) -> Future[Any]:
        text = spoken(completion)[-_TAIL:]
        prompt = prompt[-_TAIL:] if prompt else None
        return self._open().submit({"gold": _shortened(gold), "text": text, "prompt": prompt})

    def _ask_all(self, golds: Iterable[str]) -> Iterator[tuple[int, str, Any]]:
        lanes = self._open()
        waiting: deque[tuple[int, str, Future[Any]]] = deque()
        for index, gold in enumerate(golds):
            if len(waiting) == _IN_FLIGHT:
                first, text, future = waiting.popleft()
                yield first, text, future.result()
            waiting.append((index, gold, lanes.submit({"gold": _shortened(gold)})))
        for index, gold, future in waiting:
            yield index, gold, future.result()

    def _open(self) -> Lanes:
        with self._lock:
            if self._closed:
                raise closed()
            if self._lanes is None:
                self._lanes = Lanes(*self._settings)
            return self._lanes

    def _start_afresh(self) -> None:
        """Without workers; also after a fork, whose child has the checker but not its threads."""
        self._lock = Lock()
        self._lanes = None


_all: WeakSet[MathChecker] = WeakSet()


def _after_fork() -> None:
    for checker in list(_all):
        checker._start_afresh()


os.register_at_fork(after_in_child=_after_fork)


@cache
def default_checker() -> MathChecker:
    """The checker that everything in this process shares; it is closed when the process ends."""
    checker = MathChecker()
    atexit.register(checker.close)
    return checker


def check_golds(golds: Iterable[Gold]) -> list[GoldProblem]:
    """`MathChecker.check_golds` of the shared checker."""
    return default_checker().check_golds(golds)


def _shortened(gold: Gold) -> str:
    """A gold answer as text; one that is far too long stays so, but is not sent whole."""
    return str(gold)[:_GOLD_LENGTH]


def _verdict(reply: Any) -> Verdict:
    return Verdict("out of time") if reply is None else Verdict(**reply)


def _reason(reply: Any) -> str | None:
    return "takes too long to compare with" if reply is None else reply["problem"]
