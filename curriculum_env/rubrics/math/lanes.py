"""Checks wait in two lanes, so that a slow one never stands in the way of the others.

Every check first gets a moment on any worker. One that is not done by then goes to the patient
lane, which all workers but one serve, and has to be done a few seconds later.
"""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Condition, Thread
from typing import Any

from curriculum_env.errors import CheckerError
from curriculum_env.rubrics.math.process import DiedError, LateError, Process

QUICK_SECONDS = 0.5
PATIENT_SECONDS = 2.0
_LOOK_AGAIN = 0.5
_RETREAT = 0.5
TRIES = 3  # of a check whose worker dies, be it over the check or by another hand
PATIENCE = 3.0  # seconds from entering the patient lane until a check is given up


@dataclass(slots=True)
class Job:
    """A request, where its reply goes, and when it is given up (None: still in the quick lane)."""

    request: dict[str, Any]
    future: Future[Any] = field(default_factory=Future)
    deadline: float | None = None
    deaths: int = 0


class Lanes:
    """`workers` processes, at least two, of at most `memory` bytes, each fed by its own thread."""

    def __init__(self, workers: int, memory: int) -> None:
        self._quick: deque[Job] = deque()
        self._patient: deque[Job] = deque()
        self._changed = Condition()
        self._closed = False
        self._threads = [
            Thread(target=self._serve, args=(Process(memory), number > 0), daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, request: dict[str, Any]) -> Future[Any]:
        """Queue a request; its future holds the worker's reply, or None when it ran out of time.

        Raises:
            CheckerError: the lanes are closed.
        """
        job = Job(request)
        with self._changed:
            if self._closed:
                raise closed()
            self._quick.append(job)
            self._changed.notify()
        return job.future

    def close(self) -> None:
        """Give up what waits, and end the workers once they are done with what they do."""
        with self._changed:
            self._closed = True
            waiting = [*self._quick, *self._patient]
            self._changed.notify_all()
        for job in waiting:
            if not job.future.cancel():
                job.future.set_exception(closed())
        for thread in self._threads:
            thread.join()

    # --- a worker's thread -------------------------------------------------------------------
    def _serve(self, process: Process, patient: bool) -> None:
        while not self._closed:
            error = None
            try:
                process.loaded()
            except CheckerError as failure:
                error = failure
                time.sleep(_RETREAT)  # another worker may be well
            if (job := self._take(patient)) is None:
                break
            if job.future.running() or job.future.set_running_or_notify_cancel():
                self._work(process, job, error)
        process.kill()

    def _take(self, patient: bool) -> Job | None:
        """The next check; None once the lanes are closed. Anybody gives up one that is too old."""
        with self._changed:
            while not self._closed:
                if self._patient and (patient or _left(self._patient[0]) <= 0):
                    return self._patient.popleft()
                if self._quick:
                    return self._quick.popleft()
                self._changed.wait(_LOOK_AGAIN if self._patient else None)
        return None

    def _work(self, process: Process, job: Job, error: CheckerError | None) -> None:
        seconds = QUICK_SECONDS if job.deadline is None else min(PATIENT_SECONDS, _left(job))
        try:
            if error is not None:
                raise error
            reply = process.ask(job.request, seconds) if seconds > 0 else None
        except LateError:
            reply = None
        except DiedError:
            reply = None
            job.deaths += 1
            if job.deaths < TRIES and self._try_again(job):
                return
        except CheckerError as failure:
            job.future.set_exception(failure)
            return
        if reply is None and job.deadline is None and self._queue_again(job):
            return
        job.future.set_result(reply)

    def _try_again(self, job: Job) -> bool:
        """Whether the check could be put back to the front of its lane."""
        with self._changed:
            if not self._closed:
                (self._quick if job.deadline is None else self._patient).appendleft(job)
                self._changed.notify_all()
            return not self._closed

    def _queue_again(self, job: Job) -> bool:
        """Whether the check could be moved to the patient lane."""
        with self._changed:
            if self._closed:
                return False
            job.deadline = time.monotonic() + PATIENCE
            self._patient.append(job)
            self._changed.notify_all()
            return True


def _left(job: Job) -> float:
    """Seconds until a check in the patient lane is given up."""
    assert job.deadline is not None
    return job.deadline - time.monotonic()


def closed() -> CheckerError:
    """What a closed checker raises."""
    return CheckerError("this MathChecker is closed; open a new one.")
