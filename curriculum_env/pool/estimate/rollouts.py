"""One offline rollout: what is asked of a model and of a rubric, and how either can fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from curriculum_env.types import Row


@dataclass(frozen=True, slots=True)
class Reply:
    """What one rollout said and what it took.

    `prompt_tokens` and `completion_tokens` are as the endpoint counts them, None where it does
    not. `finish` is the endpoint's word for how it ended (`stop`, `length`, ...). `success`, in
    [0, 1], is set where the rollout was graded on the way.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish: str = ""
    success: float | None = None


class Bound(NamedTuple):
    """The most tokens a rollout may take."""

    prompt: int
    completion: int


NOTHING = Bound(0, 0)


class Player(Protocol):
    """Plays one rollout of a row."""

    def bound(self, row: Row) -> Bound:
        """What `play` may take."""

    async def play(self, row: Row) -> Reply:
        """Play.

        Raises:
            ServiceError: the service failed; the rollout says nothing about the row.
            RefusedError: the service will not take this row.
            HaltError: no further rollout can succeed.
        """


Grade: TypeAlias = Callable[[Row, str], Awaitable[float]]
"""The success, in [0, 1], of a reply to a row."""


class ServiceError(Exception):
    """The service failed, and may do better next time; `paid` are the tokens it took all the
    same."""

    def __init__(self, reason: str, paid: Bound = NOTHING) -> None:
        super().__init__(reason)
        self.paid = paid


class RefusedError(Exception):
    """The service will not take this row: too long a prompt, for example."""


class HaltError(Exception):
    """The service will take nothing more: a wrong key, no credit, no such model."""
