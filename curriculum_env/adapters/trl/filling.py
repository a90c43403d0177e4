"""A batch filled with living groups over several generations; the same in every process."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curriculum_env.adapters.trl.rollouts import Rollout
from curriculum_env.gates import Gate, Refill


@dataclass(eq=False, slots=True)
class PlayedGroup:
    """The rollouts of one draw, and the successes of those that were graded. `stale`: the present
    policy did not sample all of them."""

    uid: str
    prompt: Any
    rollouts: list[Rollout]
    success_G: list[float]
    stale: bool = False


class OpenGate:
    """Admits every group."""

    def admit(self, success_G: Sequence[float]) -> bool:
        """True."""
        return True


class Filling:
    """Counts rounds, keeps living groups for this batch or the next, and the last dead ones to
    fill a batch up where the rounds run out.

    The first round of a batch asks for the groups it lacks, later ones for as many as should make
    up for the dead among them, at most a batch's.
    """

    def __init__(self, gate: Gate, groups: int, group_size: int, rounds: int, shares: int) -> None:
        self._most, self._size, self._groups = rounds, group_size, groups
        self.multiple = shares // math.gcd(group_size, shares)
        self.refill: Refill[PlayedGroup] = Refill(
            gate, groups, rounds=rounds, multiple=self.multiple
        )
        self._dead: deque[PlayedGroup] = deque(maxlen=groups)
        self.rounds = self._offered = self._kept = 0

    def begin(self, replayed: int = 0) -> None:
        """A batch is wanted; so many of its groups are replayed ones."""
        self.refill.groups = self._groups - replayed

    def wanted(self) -> int:
        """How many groups to generate now; 0 once `take` has a batch."""
        if self.refill.ready:
            return 0
        if self.rounds:
            self.refill.oversample = (self._offered + 2) / (self._kept + 1)
        return self.refill.wanted(at_most=self.refill.groups)

    def offer(self, groups: list[PlayedGroup]) -> None:
        """The groups of a round."""
        for group in groups:
            single = self._size > 1 and len(group.success_G) < 2
            if kept := self.refill.offer(group, [] if single else group.success_G):
                self._kept += kept
            else:
                self._dead.append(group)
        self._offered += len(groups)
        self.rounds += 1
        if self.rounds == self._most:
            self.refill.give_up()

    def take(self) -> tuple[list[PlayedGroup], dict[str, float]]:
        """The batch, full in any case, and what it took.

        Raises:
            RefillError: no group lives.
        """
        living = self.refill.take()
        fillers = [self._dead.pop() for _ in range(self.refill.groups - len(living))]
        dropped = self._offered - self._kept
        found: dict[str, float] = {
            "generation_rounds": self.rounds,
            "generated_groups": self._offered,
            "discarded_rollouts": (dropped - len(fillers)) * self._size,
            "dead_groups_trained": len(fillers),
            "carried_groups": len(self.refill.carried),
        }
        self._dead.clear()
        self.refill.oversample = 1.0
        self.rounds = self._offered = self._kept = 0
        return living + fillers, found
