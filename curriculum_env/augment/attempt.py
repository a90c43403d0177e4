"""Calls of an environment's own code, which may raise whatever it likes."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from curriculum_env.augment.proposal import Discard

logger = logging.getLogger(__name__)

T = TypeVar("T")


def attempt(call: Callable[[], T]) -> T | Discard:
    """What `call` returns; a `Discard` where it raises."""
    try:
        return call()
    except Exception as error:  # whatever an environment's own code raises
        return failed(error)


async def attempt_async(call: Callable[[], Awaitable[T]]) -> T | Discard:
    """`attempt` of a call that is awaited."""
    try:
        return await call()
    except Exception as error:  # whatever an environment's own code raises
        return failed(error)


def failed(error: Exception) -> Discard:
    """The discard of a variant on which an environment's own code raised `error`."""
    logger.debug("a hook of the environment failed", exc_info=error)
    return Discard("failed", f"{type(error).__name__}: {error}")
