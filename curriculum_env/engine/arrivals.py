"""Between the store's queue of augmentations and the draws: nothing here waits for a database."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock

from curriculum_env.store import Store
from curriculum_env.store.queue import Asked, Augmentation, Queue

Write = Callable[[Queue], None]

_AT_ONCE = 64


class Arrivals:
    """Accepted items come in and what became of them goes out by `poll`, which the feed's thread
    calls; a store in memory is used directly."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._direct = store.url.startswith("memory")
        self._waiting: deque[Augmentation] = deque()
        self._taken: set[int] = set()
        self._outbox: deque[Write] = deque()
        self._asking = 0
        self._open = 0
        self._lock = Lock()

    @property
    def in_work(self) -> int:
        """Items that are being made or wait to be taken, as far as is known."""
        made = self._store.queue.open_count() if self._direct else self._open
        return made + self._asking + len(self._waiting)

    def ask(self, requests: list[Asked]) -> None:
        """Ask for these, soon."""
        self._asking += 0 if self._direct else len(requests)
        self.write(lambda queue: queue.ask(requests))

    def write(self, write: Write) -> None:
        """Change the queue, soon."""
        if self._direct:
            write(self._store.queue)
        else:
            self._outbox.append(write)

    def take(self, limit: int) -> list[Augmentation]:
        """At most `limit` accepted items, the oldest first, each once."""
        if self._direct:
            found = self._store.queue.accepted(limit + len(self._waiting))
            self.restore(found)
        return [self._waiting.popleft() for _ in range(min(limit, len(self._waiting)))]

    def put_back(self, items: Iterable[Augmentation]) -> None:
        """There is no room for these yet."""
        self._waiting.extendleft(reversed(list(items)))

    def restore(self, items: Iterable[Augmentation]) -> None:
        """These are to be taken, unless they were before."""
        for item in items:
            if item.id not in self._taken:
                self._taken.add(item.id)
                self._waiting.append(item)

    def poll(self) -> None:
        """Write what is to be written, read what has come; raises `StoreError`."""
        with self._lock:
            queue = self._store.queue
            while self._outbox:
                self._outbox[0](queue)
                self._outbox.popleft()
            self._asking, self._open = 0, queue.open_count()
            if not self._waiting:
                self.restore(queue.accepted(_AT_ONCE))
