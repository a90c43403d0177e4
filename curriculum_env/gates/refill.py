"""Dynamic sampling: draw on until a batch has enough groups worth training on."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Literal, TypeVar

from curriculum_env.errors import RefillError
from curriculum_env.gates.base import Gate

T = TypeVar("T")


class Refill(Generic[T]):
    """Says how many groups to draw, takes them as they are graded, and gives out batches of
    `groups` that the gate admits (DAPO, arXiv 2503.14476, section 3.2). It draws nothing itself,
    so it serves a loop that waits for each round and one with groups in flight across batches:

        while not refill.ready:
            start `refill.wanted()` groups; for each that ends, refill.offer(group, success_G)
        batch = refill.take()

    A batch may use up at most `rounds` x `groups` draws; then `ready` is true once nothing is in
    flight, and `take` gives out the shorter batch (`on_cap="accept"`) or raises (`"stop"`).
    Admitted groups beyond a batch, and those in flight when it was taken, go into the next ones,
    in the order of their arrival. `success_G` is the canonical correctness, not a shaped reward.
    `T` is whatever the loop trains on. `oversample` may be changed at any time; groups are started
    in multiples of `multiple`.
    """

    def __init__(
        self,
        gate: Gate,
        groups: int,
        *,
        rounds: float = 10.0,
        oversample: float = 1.0,
        multiple: int = 1,
        on_cap: Literal["accept", "stop"] = "accept",
    ) -> None:
        if groups < 1 or rounds < 1.0 or oversample < 1.0 or multiple < 1:
            raise ValueError(
                f"refill has groups={groups}, rounds={rounds}, oversample={oversample}, "
                f"multiple={multiple}; expected each to be at least 1"
            )
        self.groups, self.oversample = groups, oversample
        self.in_flight = 0
        self._gate, self._on_cap, self._multiple = gate, on_cap, multiple
        self._cap = math.ceil(rounds * groups)
        self._admitted: deque[T] = deque()
        self._drawn = 0
        self._given_up = False
        self._offered = self._discarded = self._lost = self._batches = self._short = 0

    @property
    def ready(self) -> bool:
        """Whether `take` has a batch to give: a full one, or whatever the cap left."""
        spent = self._drawn >= self._cap or self._given_up
        return len(self._admitted) >= self.groups or (spent and self.in_flight == 0)

    @property
    def carried(self) -> tuple[T, ...]:
        """The admitted groups that wait for a batch, in order of arrival."""
        return tuple(self._admitted)

    def wanted(self, at_most: int | None = None) -> int:
        """How many groups to start now, counted as in flight from here on: those missing (times
        `oversample`), less those in flight, within the cap and `at_most`."""
        if self._given_up:
            return 0
        missing = max(self.groups - len(self._admitted), 0)
        more = math.ceil(self.oversample * missing) - self.in_flight
        more = max(min(more, self._cap - self._drawn, more if at_most is None else at_most), 0)
        more = math.ceil(more / self._multiple) * self._multiple
        self._drawn += more
        self.in_flight += more
        return more

    def offer(self, group: T, success_G: Sequence[float]) -> bool:
        """A group in flight was graded; returns whether it is kept."""
        self.in_flight -= 1
        self._offered += 1
        kept = self._gate.admit(success_G)
        if kept:
            self._admitted.append(group)
        else:
            self._discarded += 1
        return kept

    def lost(self, groups: int = 1) -> None:
        """Groups in flight will never be graded (their rollouts failed)."""
        self.in_flight -= groups
        self._lost += groups

    def give_up(self) -> None:
        """Start nothing more for this batch, as if the cap were reached."""
        self._given_up = True

    def take(self) -> list[T]:
        """The next batch; what is left over stays for the one after.

        Raises:
            RefillError: the cap was reached, and no group lives or `on_cap` is "stop".
            RuntimeError: it is not `ready`.
        """
        if not self.ready:
            raise RuntimeError("take() before the batch is ready; offer more groups first")
        short = len(self._admitted) < self.groups
        if short and (self._on_cap == "stop" or not self._admitted):
            raise RefillError(
                f"{len(self._admitted)} of {self._drawn} groups drawn are worth training on; "
                f"expected {self.groups}: raise the cap on rounds, widen the gate, or check that "
                "the pool has tasks the policy sometimes solves"
            )
        self._batches += 1
        self._short += short
        self._drawn, self._given_up = 0, False
        return [self._admitted.popleft() for _ in range(min(self.groups, len(self._admitted)))]

    def metrics(self) -> dict[str, float]:
        """`rho` is the share of graded groups that were kept, `oversampling` its inverse;
        `discarded` and `lost` count groups, `carried` those kept for a later batch."""
        kept = self._offered - self._discarded
        return {
            "rho": kept / self._offered if self._offered else 0.0,
            "oversampling": self._offered / kept if kept else 0.0,
            "discarded": self._discarded,
            "lost": self._lost,
            "carried": len(self._admitted),
            "batches": self._batches,
            "short_batches": self._short,
        }

    def state_dict(self) -> dict[str, int]:
        """The counts, as JSON values; `carried` is the loop's to keep.

        Raises:
            RuntimeError: groups are in flight or drawn for a batch that is not taken.
        """
        if self.in_flight or self._drawn:
            raise RuntimeError("state_dict() amid a batch; take it first")
        return {name: getattr(self, f"_{name}") for name in _COUNTS}

    def load_state_dict(self, state: Mapping[str, int], carried: Iterable[T] = ()) -> None:
        """Go on from `state_dict` with the groups that were `carried`."""
        for name in _COUNTS:
            setattr(self, f"_{name}", state[name])
        self._admitted = deque(carried)


_COUNTS = ("offered", "discarded", "lost", "batches", "short")


def fill(refill: Refill[T], play: Callable[[int], Iterable[tuple[T, Sequence[float]]]]) -> list[T]:
    """One batch, round by round: `play(n)` draws and grades n groups and gives each back with its
    successes; those it does not give back count as lost.

    Raises:
        RefillError: the cap was reached, and no group lives or the refill is to stop.
    """
    while not refill.ready:
        wanted = refill.wanted()
        played = 0
        for group, success_G in play(wanted):
            refill.offer(group, success_G)
            played += 1
        refill.lost(wanted - played)
    return refill.take()
