"""The workers' side of the store: outcomes go in, whatever state the store is in.

Each process has one recorder per store. An outcome goes into the store at once, from the thread
that has it, where the store can take it without a wait. Otherwise it is queued for the recorder's
one writer thread, which also opens the store. That thread writes all that is queued in one
transaction, and then rests, unless someone is in a hurry: each commit takes the interpreter from
the event loop a few times. A store that fails never fails a rollout: its outcomes are kept, retried
and counted.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from multiprocessing.util import Finalize
from threading import Condition, Event, Lock, Thread, current_thread
from typing import Any, TypeAlias
from weakref import WeakSet

from curriculum_env.errors import RejectedError, StoreError
from curriculum_env.store import Store, open_store
from curriculum_env.store.columns import finite, storable
from curriculum_env.types import Outcome

__all__ = ["Recorder", "recorder_for"]

_BATCH = 4096  # outcomes in one transaction
_CAPACITY = 262_144  # outcomes kept while the store is away, about 100 MB
_REST = 0.05  # seconds between two transactions that nobody hurries
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0  # seconds between two tries
_EXIT_SECONDS = 5.0

_Waiter: TypeAlias = "asyncio.Future[None]"
_Entry: TypeAlias = "tuple[Outcome, _Waiter | None]"

_log = logging.getLogger(__name__)


class Recorder:
    """Writes outcomes to the store at `url` from one thread.

    `wait` is how many seconds `record` waits for durability. Beyond `capacity` kept outcomes the
    oldest are dropped, counted in `dropped` and warned about.
    """

    def __init__(self, url: str, *, wait: float = 1.0, capacity: int = _CAPACITY) -> None:
        self.url = url
        self.wait = wait
        self.capacity = capacity
        self._warned: set[str] = set()
        self._direct = url.startswith("memory:")
        self._store: Store | None = None
        self._thread: Thread | None = None
        self._start_afresh()
        _all.add(self)

    async def record(self, outcome: Outcome, *, gather: bool = False) -> bool:
        """Write `outcome`; True once it is durable, False when that takes longer than `wait`
        (it is then kept and retried). With `gather` it may wait up to 50 ms for others to share
        a transaction with. Never raises for the store's or the reward's sake."""
        outcome = self._checked(outcome)
        if self._wrote_at_once(outcome):
            return True
        waiter: _Waiter = asyncio.get_running_loop().create_future()
        self._put(outcome, waiter)
        if not gather:
            self._hurry.set()
        await asyncio.wait((waiter,), timeout=self.wait)
        return waiter.done()

    def record_nowait(self, outcome: Outcome, *, gather: bool = False) -> None:
        """Queue `outcome` for the writer thread; for callbacks, which cannot await. `gather` is
        that of `record`."""
        outcome = self._checked(outcome)
        if self._wrote_at_once(outcome):
            return
        self._put(outcome, None)
        if not gather:
            self._hurry.set()

    def note(self, kind: str, data: Mapping[str, Any]) -> None:
        """Log an event soon, from the writer thread; it is tried again until it is written."""
        with self._changed:
            self._notes.append((kind, data))
            if self._thread is None:
                self._start_thread()
            self._changed.notify_all()

    @property
    def unwritten(self) -> int:
        """Outcomes handed in that are not in the store: queued, being written, or dropped."""
        with self._changed:
            return len(self._queue) + len(self._batch) + self.dropped

    def flush(self, timeout: float = _EXIT_SECONDS) -> bool:
        """Wait until everything queued is durable, at most `timeout` seconds; whether it is."""
        with self._changed:
            self._hurry.set()
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._done() or self._thread is None, timeout)
            return self._done()

    def close(self, timeout: float = _EXIT_SECONDS) -> None:
        """Flush, end the thread and close the store; a later outcome starts both again."""
        self.flush(timeout)
        with self._changed:
            thread = self._thread
            self._thread = None
            self._hurry.set()
            self._changed.notify_all()
        if thread is not None:
            thread.join(1.0)
        if self.unwritten:
            _log.warning("%d outcomes could not be written to %s.", self.unwritten, self.url)

    # --- the edge ----------------------------------------------------------------------------
    def _checked(self, outcome: Outcome) -> Outcome:
        """A reward that is no finite number makes its rollout an error, which moves no belief; a
        bad value in another column is cleared."""
        outcome, cleared = storable(outcome)
        for column, value in cleared.items():
            self._warn_once(
                column,
                f"The {column} {value!r:.80} of rollout {outcome.rollout_id} cannot be stored: "
                f"recorded as {getattr(outcome, column)!r}.",
            )
        if outcome.status != "ok":
            return outcome if outcome.reward is None else replace(outcome, reward=None)
        reward = finite(outcome.reward)
        if reward is not None:
            return outcome if reward is outcome.reward else replace(outcome, reward=reward)
        self._warn_once(
            "reward",
            f"The reward {outcome.reward!r} of rollout {outcome.rollout_id} is not a finite "
            "number: recorded as an error; fix the reward function.",
        )
        return replace(outcome, reward=None, status="error")

    def _wrote_at_once(self, outcome: Outcome) -> bool:
        """Whether `outcome` is in the store now. What is queued goes first: its store may be in
        trouble."""
        if self._direct:
            return self._write([outcome])
        store = self._store
        if store is None or not self._settled():
            return False
        try:
            return store.record_at_once(outcome)
        except Exception:  # the writer thread will meet it too, and knows what to do
            return False

    def _put(self, outcome: Outcome, waiter: _Waiter | None) -> None:
        with self._changed:
            self._queue.append((outcome, waiter))
            if len(self._queue) > self.capacity:
                self._queue.popleft()
                self.dropped += 1
            if self._thread is None:
                self._start_thread()
            self._changed.notify_all()
        if self.dropped:
            self._warn_once(
                "dropped",
                f"More than {self.capacity} outcomes wait for the store {self.url}: the oldest "
                "are dropped now; see Recorder.dropped for how many.",
            )

    def _warn_once(self, about: str, message: str) -> None:
        if about not in self._warned:
            self._warned.add(about)
            _log.warning(message)

    # --- the writer thread -------------------------------------------------------------------
    def _start_afresh(self) -> None:
        """An empty queue and no thread: at first, and in a child after a fork."""
        self._changed = Condition()
        self._queue: deque[_Entry] = deque()
        self._batch: list[_Entry] = []
        self._notes: deque[tuple[str, Mapping[str, Any]]] = deque()
        self._thread = None
        self._hurry = Event()
        self.dropped = self._told = 0

    def _start_thread(self) -> None:
        self._hurry.clear()
        self._thread = Thread(target=self._run, name="curriculum-recorder", daemon=True)
        self._thread.start()
        Finalize(None, self.close, exitpriority=0)  # at the exit of any process, forked ones too

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while self._take():
            if self._write([outcome for outcome, _ in self._batch]):
                pause = _FIRST_PAUSE
                self._acknowledge()
                self._tell_dropped()
                self._write_notes()
                self._sleep(_REST)
            else:
                self._sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        self._close_store()

    def _close_store(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def _take(self) -> bool:
        """Wait for a batch to write; False once this thread is no longer the recorder's."""
        with self._changed:
            self._changed.wait_for(lambda: not self._done() or self._retired())
            self._hurry.clear()
            if not self._batch:
                size = min(_BATCH, len(self._queue))
                self._batch = [self._queue.popleft() for _ in range(size)]
            return not self._retired()

    def _settled(self) -> bool:
        return not self._queue and not self._batch

    def _done(self) -> bool:
        return self._settled() and not self._notes

    def _retired(self) -> bool:
        return self._thread is not current_thread()

    def _write(self, outcomes: list[Outcome]) -> bool:
        try:
            if self._store is None:
                self._store = open_store(self.url)
            self._store.record(outcomes)
        except RejectedError as error:
            return self._write_halves(outcomes, error)
        except Exception as error:  # whatever it is, the rollout goes on and the thread lives
            self._warn_once("store", f"{error} Outcomes are kept and retried meanwhile.")
            self._close_store()  # the next try opens what is there then
            return False
        return True

    def _write_halves(self, outcomes: list[Outcome], error: RejectedError) -> bool:
        """One bad outcome must not hold up the others: it is dropped, counted and named."""
        if len(outcomes) > 1:
            middle = len(outcomes) // 2
            return self._write(outcomes[:middle]) and self._write(outcomes[middle:])
        with self._changed:
            self.dropped += 1
            self._batch = [entry for entry in self._batch if entry[0] is not outcomes[0]]
        _log.warning("The outcome of rollout %s is dropped: %s", outcomes[0].rollout_id, error)
        return True

    def _acknowledge(self) -> None:
        """Empty the batch and wake those who wait for it, once per event loop."""
        with self._changed:
            batch, self._batch = self._batch, []
            self._changed.notify_all()
        waiters = defaultdict(list)
        for _, waiter in batch:
            if waiter is not None:
                waiters[waiter.get_loop()].append(waiter)
        for loop, group in waiters.items():
            with suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(_resolve, group)

    def _tell_dropped(self) -> None:
        """Leave word in the store of what it will never hold, for `status` to show."""
        fresh = self.dropped - self._told
        if fresh and self._store is not None:
            with suppress(StoreError):
                self._store.log_event("unwritten", {"count": fresh})
                self._told += fresh

    def _write_notes(self) -> None:
        while self._notes and self._store is not None:
            try:
                self._store.log_event(*self._notes[0])
            except RejectedError as error:
                _log.warning("An event (%s) is not logged: %s", self._notes[0][0], error)
            except StoreError:
                return
            with self._changed:
                self._notes.popleft()
                self._changed.notify_all()

    def _sleep(self, seconds: float) -> None:
        """Pause, unless someone is in a hurry; what else is queued meanwhile wakes nobody."""
        if not self._retired():
            self._hurry.wait(seconds)


def recorder_for(url: str) -> Recorder:
    """This process's recorder of the store at `url`."""
    with _recorders_lock:
        if url not in _recorders:
            _recorders[url] = Recorder(url)
        return _recorders[url]


def _resolve(waiters: Iterable[_Waiter]) -> None:
    for waiter in waiters:
        if not waiter.done():
            waiter.set_result(None)


_recorders: dict[str, Recorder] = {}
_recorders_lock = Lock()
_all: WeakSet[Recorder] = WeakSet()


def _after_fork() -> None:
    """What was queued stays the parent's to write; the child has no writer thread yet."""
    global _recorders_lock
    _recorders_lock = Lock()
    for recorder in list(_all):
        recorder._start_afresh()


os.register_at_fork(after_in_child=_after_fork)
