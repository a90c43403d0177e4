"""How many groups a run draws: so many, or until enough of them are worth training on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.gates import Gate, Refill
from curriculum_env.types import Outcome


class RefillConfig(BaseConfig):
    """Draw on until `groups` of the run's groups are worth training on."""

    rounds: float = Field(10.0, ge=1)
    """Draws at most, in multiples of `groups`."""
    oversample: float = Field(1.0, ge=1)
    """How many groups are started for each one that is missing."""
    on_cap: Literal["accept", "stop"] = "accept"
    """Whether fewer groups than asked for will do when the cap is reached, or are an error."""


class Quota(Protocol):
    """What the loop asks before it draws."""

    def draw(self) -> bool | None:
        """Whether to draw another group now: yes, no more at all, or (None) not before a rollout
        has ended."""


class Count:
    """So many groups."""

    def __init__(self, groups: int) -> None:
        self._left = groups

    def draw(self) -> bool:
        self._left -= 1
        return self._left >= 0


class Refilled:
    """Until `groups` groups are worth training on, by `gates.Refill`.

    It hears of each group when it is drawn and of each rollout when it ended, with the outcomes it
    left. `success` maps a reward to [0, 1], or to None where it is no grade.
    """

    def __init__(
        self,
        gate: Gate,
        groups: int,
        size: int,
        config: RefillConfig,
        success: Callable[[float], float | None],
    ) -> None:
        self.groups = groups
        self.refill: Refill[int] = Refill(
            gate,
            groups,
            rounds=config.rounds,
            oversample=config.oversample,
            on_cap=config.on_cap,
        )
        self._size, self._success = size, success
        self._granted = 0
        self._open: dict[int, list[float]] = {}
        self._ended: dict[int, int] = {}

    def draw(self) -> bool | None:
        if not self._granted:
            self._granted = self.refill.wanted()
        if self._granted:
            self._granted -= 1
            return True
        return False if self.refill.ready else None

    def drawn(self, number: int) -> None:
        """A group was drawn."""
        self._open[number], self._ended[number] = [], 0

    def ended(self, number: int, outcomes: Iterable[Outcome]) -> None:
        """A rollout of that draw ended, well or not; the last one closes the group."""
        rewards = [outcome.reward for outcome in outcomes if outcome.reward is not None]
        graded = [self._success(reward) for reward in rewards]
        self._open[number] += [success for success in graded if success is not None]
        self._ended[number] += 1
        if self._ended[number] == self._size:
            success_G = self._open.pop(number)
            if success_G:
                self.refill.offer(number, success_G)
            else:
                self.refill.lost()
