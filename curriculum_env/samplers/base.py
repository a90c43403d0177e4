"""What a sampler promises. Implementations pass `curriculum_env.testing.SamplerContract`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, Group, IntArray, Row


class Choice(NamedTuple):
    """Rows in the order in which to draw them, with the probability in (0, 1] of each to have
    been the first, and how many rollouts each is to get (none: the trainer's group size)."""

    rows_K: IntArray
    propensity_K: FloatArray
    rollouts_K: IntArray | None = None


class Followup(NamedTuple):
    """`rollouts` more of a row, to join the group of draw number `continues`."""

    row: int
    rollouts: int
    continues: int


class Sampler(ABC):
    """A rule that picks the next rows. Only `select` is mandatory."""

    explores: ClassVar[bool] = True
    """Whether the engine gives a share of the draws to the least-known rows."""

    @abstractmethod
    def select(self, n: int, view: View) -> Choice:
        """At most `n` distinct rows, all of them available, the next to draw first."""

    def add(self, rows: Sequence[Row]) -> None:  # noqa: B027
        """Rows joined the end of the pool; called once with the whole pool at the start."""

    def observe(self, group: Group) -> None:  # noqa: B027
        """A group was graded; its belief is already updated."""

    def passed_over(self, rows: Sequence[int]) -> None:  # noqa: B027
        """These of the rows just selected will not be drawn: there are too many of their family."""

    def followups(self) -> list[Followup]:
        """Groups to be continued before anything else is drawn; each is returned once."""
        return []

    def heldout(self, accuracy: float) -> None:  # noqa: B027
        """The policy's accuracy in [0, 1] on the held-out split was measured."""

    def state_dict(self) -> dict[str, Any]:
        """What the rule remembers beyond the beliefs, as JSON values."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:  # noqa: B027
        """Go on from what `state_dict` returned."""

    def metrics(self) -> dict[str, float]:
        """Numbers worth plotting."""
        return {}


class ScoreSampler(Sampler):
    """A rule that scores each row by itself; the view turns scores into a choice."""

    @abstractmethod
    def score(self, view: View) -> FloatArray:
        """A score for each row, at least 0; a row of score 0 is never chosen."""

    def select(self, n: int, view: View) -> Choice:
        return Choice(*view.choose(self.score(view), n))
