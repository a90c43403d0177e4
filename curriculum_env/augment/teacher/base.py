"""What a teacher promises."""

from __future__ import annotations

from typing import Protocol

from curriculum_env.augment.proposal import Annotation, Discard
from curriculum_env.types import Row


class Teacher(Protocol):
    """Says what is true of a problem."""

    async def annotate(self, parent: Row, problem: str) -> Annotation | Discard:
        """The verdict on a variant of `parent`; a `Discard` where what was said is none.

        Raises:
            ServiceError: the service failed, and may do better later; `paid` was spent.
            HaltError: the service will take nothing more.
        """

    async def close(self) -> None:
        """Close what is open; the next call opens it again."""
