"""What a store promises. Implementations pass `curriculum_env.testing.StoreContract`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curriculum_env.store.queue import Queue
from curriculum_env.types import Draw, Outcome


@dataclass(frozen=True, slots=True)
class Run:
    """One curriculum's life in a store: the draws numbered from `first_draw` on."""

    id: int
    first_draw: int
    started: float
    config: Mapping[str, Any]


class OutcomeReader(ABC):
    """Reads each outcome exactly once while writers commit out of order."""

    @abstractmethod
    def read(self, limit: int = 4096) -> list[Outcome]:
        """The next outcomes in a stable order, at most `limit`; empty when there are none now."""

    @property
    @abstractmethod
    def cursor(self) -> Any:
        """A JSON value: `Store.reader(cursor)` goes on right after the outcomes read so far."""


class Store(ABC):
    """Draws and outcomes of one curriculum, shared by its processes and hosts.

    Every method may be called from any thread. Every failure is a `StoreError`.
    """

    url: str
    identity: str
    """A uuid made with the store, the same for all who open it: draw numbers and cursors mean
    something only together with it."""

    @property
    @abstractmethod
    def queue(self) -> Queue:
        """The tasks that are to be made from others."""

    # --- the client's side -------------------------------------------------------------------
    @abstractmethod
    def acquire(self, *, force: bool = False) -> None:
        """Become the owner, the only one to log draws; a dead owner's lock is taken over.

        Raises:
            OwnerError: a living owner holds it (it names host, process and age).
        """

    @abstractmethod
    def heartbeat(self) -> None:
        """Show that the owner lives; raises `OwnerError` once the lock was lost."""

    @abstractmethod
    def release(self) -> None:
        """Give the lock back; a no-op for who does not own it."""

    @abstractmethod
    def start_run(self, config: Mapping[str, Any]) -> Run:
        """Open a new run whose first draw follows the highest draw of the store."""

    @abstractmethod
    def last_run(self) -> Run | None:
        """The newest run, or None in an empty store."""

    @abstractmethod
    def append_draws(self, run: Run, draws: Sequence[Draw]) -> None:
        """Log draws, durable when it returns; idempotent on the draw number."""

    @abstractmethod
    def draws(self, first: int = 0, last: int | None = None) -> Iterator[Draw]:
        """The logged draws with `first <= number` (`< last` if given), by rising number."""

    # --- the workers' side -------------------------------------------------------------------
    @abstractmethod
    def record(self, outcomes: Sequence[Outcome]) -> None:
        """Write outcomes, durable when it returns; idempotent on `rollout_id` (first wins)."""

    def record_at_once(self, outcome: Outcome) -> bool:
        """Write one outcome from an event loop: durable (True), or not at all (False) where that
        needs a wait, as for a lock, a server, or a disk found slow; then `record` is to do it."""
        return False

    # --- anyone ------------------------------------------------------------------------------
    @abstractmethod
    def reader(self, cursor: Any = None) -> OutcomeReader:
        """A reader from the start, or right after `cursor`."""

    @abstractmethod
    def log_event(self, kind: str, data: Mapping[str, Any]) -> None:
        """Append a small JSON event (`outage`, `warning`, `state`, ...)."""

    @abstractmethod
    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The events in order, each with `kind`, `time` and its data's keys."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """`draws`, `outcomes`, `ok`, `error`, `cancelled`."""

    @abstractmethod
    def close(self) -> None:
        """Release the lock and every connection; idempotent."""
