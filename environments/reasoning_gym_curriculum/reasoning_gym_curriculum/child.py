"""Tasks and scores of reasoning-gym, which works in a process of its own."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

from reasoning_gym_curriculum.confined import Made, Where
from reasoning_gym_curriculum.process import LateError, Process

MAKING_SECONDS = 60.0
SCORING_SECONDS = 5.0


class ReproducibilityError(RuntimeError):
    """reasoning-gym does not make the task again that was drawn."""


class _Child:
    """The process, replaced when it was late, and the thread that speaks with it.

    Making a task again and scoring an answer to it follow each other directly, and each has its
    own time: a task that is slow to make costs its answers nothing.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reasoning-gym")
        self._process: Process | None = None

    def submit(self, function: str, *arguments: Any, seconds: float) -> Future[Any]:
        return self._thread.submit(self._ask, function, list(arguments), seconds)

    def score(self, where: Where, answer: str) -> Future[tuple[str, float | None]]:
        """The task's question, and what the answer earns; None when its scorer was late."""

        def ask() -> tuple[str, float | None]:
            question = self._ask("question", [*where], MAKING_SECONDS)
            try:
                return question, self._ask("score", [*where, answer], SCORING_SECONDS)
            except LateError:
                return question, None

        return self._thread.submit(ask)

    def _ask(self, function: str, arguments: list[Any], seconds: float) -> Any:
        self._process = self._process or Process()
        try:
            return self._process.ask(function, arguments, seconds)
        except LateError:
            self._process = None
            raise


@cache
def _child_of(pid: int) -> _Child:
    """The child of this process; a fork starts its own."""
    return _Child()


def _submit(function: str, *arguments: Any, seconds: float) -> Future[Any]:
    return _child_of(os.getpid()).submit(function, *arguments, seconds=seconds)


@cache
def catalogue() -> dict[str, dict[int, dict[str, float]]]:
    """The families in use, and of each the levels with the values of its knobs."""
    found = _submit("catalogue", seconds=MAKING_SECONDS).result()
    return {
        family: {int(level): knobs for level, knobs in levels.items()}
        for family, levels in found.items()
    }


def make(family: str, level: int, seed: int, start: int, count: int) -> list[Made]:
    """The sound ones of `count` tasks from the index `start` on.

    Raises:
        LateError: making them took longer than a minute, or all the memory there is.
    """
    arguments = (family, level, seed, start, count)
    made = _submit("make", *arguments, seconds=MAKING_SECONDS).result()
    return [Made(*task) for task in made]


async def score(where: Where, question: str, answer: str) -> float | None:
    """What the answer to the task at `where` earns, in [0, 1]; None when its scorer was not done
    within 5 seconds.

    Raises:
        ReproducibilityError: the task there has another question than `question`, or could not
            be made within a minute.
    """
    scoring = _child_of(os.getpid()).score(where, answer)
    try:
        found, earned = await asyncio.wrap_future(scoring)
    except LateError:
        found, earned = None, None
    if found != question:
        raise ReproducibilityError(
            f"task {where[-1]} of {where[0]} cannot be made here as it was where it was drawn: "
            "install the same version of reasoning-gym for the trainer and its workers."
        )
    return earned
