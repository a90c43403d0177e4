"""What one process works out for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from accelerate import PartialState
from accelerate.utils import broadcast_object_list

import curriculum_env.errors
from curriculum_env.errors import CurriculumError

T = TypeVar("T")


def from_rank_zero(work: Callable[[], T]) -> T:
    """What `work` returns in the main process, in every process; all must call it together.

    Raises:
        CurriculumError: `work` failed, in the other processes; there the error has the same words.
            The main process raises the error itself.
    """
    state = PartialState()
    if state.num_processes == 1:
        return work()
    failure: Exception | None = None
    message: list[Any] = [None, None, None]
    if state.is_main_process:
        try:
            message = [work(), None, None]
        except Exception as error:
            failure, message = error, [None, type(error).__name__, str(error)]
    broadcast_object_list(message)
    if failure is not None:
        raise failure
    result, kind, words = message
    if kind is not None:
        known = getattr(curriculum_env.errors, kind, None)
        if known is None:
            known, words = CurriculumError, f"the main process failed with {kind}: {words}"
        raise known(words)
    found: T = result
    return found
