"""The service in a thread of the process that draws."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakMethod

from curriculum_env.augment.reach import warn_of_teacher
from curriculum_env.augment.service import AugmentService
from curriculum_env.errors import StoreError
from curriculum_env.store import Store, open_store
from curriculum_env.store.queue import STATUS

logger = logging.getLogger(__name__)

_STOP_SECONDS = 5.0


class ServiceThread:
    """Runs what `build` makes over a store, until `stop`. A store named by its URL is opened by the
    thread itself, and closed in the end."""

    def __init__(self, store: Store | str, build: Callable[[Store], AugmentService]) -> None:
        self._given, self._build = store, build
        self._loop: asyncio.AbstractEventLoop | None = None
        self._service: AugmentService | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._main, name="curriculum-augment", daemon=True)
        self._thread.start()
        _at_exit(WeakMethod(self.stop))

    def stop(self) -> None:
        """End it, waiting a few seconds at most; idempotent."""
        with self._lock:
            self._stopped = True
            if self._loop is not None and self._service is not None:
                self._loop.call_soon_threadsafe(self._service.stop)
        if self._thread is not threading.current_thread():
            self._thread.join(_STOP_SECONDS)

    def join(self, timeout: float) -> None:
        """Wait until it has ended by itself, at most `timeout` seconds."""
        self._thread.join(timeout)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def _main(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception:  # a run must not end for it
            logger.exception("no more variants are made")

    async def _run(self) -> None:
        given = self._given
        store = open_store(given) if isinstance(given, str) else given
        try:
            service = self._build(store)
            with self._lock:
                if not self._stopped:
                    self._loop, self._service = asyncio.get_running_loop(), service
            if self._service is None:
                store.log_event(STATUS, {"state": "stopped", "reason": ""})
                return
            trying = asyncio.create_task(warn_of_teacher(service.config))
            try:
                await service.run()
            finally:
                trying.cancel()
                await asyncio.wait([trying])
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            with suppress(StoreError):
                store.log_event(STATUS, {"state": "stopped", "reason": reason})
            raise
        finally:
            with self._lock:
                self._loop = None
            if store is not given:
                store.close()


def _at_exit(stop: WeakMethod[Callable[[], None]]) -> None:
    """A process that ends stops it while it can still work: only these callbacks, the standard
    library's own, run before the executors end."""

    def stop_now() -> None:
        if (alive := stop()) is not None:
            alive()

    threading._register_atexit(stop_now)  # type: ignore[attr-defined]
