"""Runs side by side, in processes of one thread each."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TypeVar

from curriculum_env.workers import follow_parent

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Job = TypeVar("Job")
Result = TypeVar("Result")


def carry_out(
    run: Callable[[Job], Result], jobs: Sequence[Job], processes: int = 0
) -> Iterator[tuple[int, Result]]:
    """The results of `run` with the positions of their jobs, as they come in; of the jobs in their
    order with one process, for which none is started. 0 processes: one per core. Whoever stops
    iterating cancels what has not begun."""
    processes = min(processes or os.cpu_count() or 1, len(jobs))
    if processes <= 1:
        yield from ((position, run(job)) for position, job in enumerate(jobs))
        return
    spawn = multiprocessing.get_context("spawn")
    with _one_thread(), ProcessPoolExecutor(processes, spawn, _begin) as pool:
        waiting = {pool.submit(run, job): position for position, job in enumerate(jobs)}
        try:
            for future in as_completed(waiting):
                yield waiting.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """False alarms of a curriculum are counted, not told."""
    follow_parent()
    logging.getLogger("curriculum_env.engine").setLevel(logging.ERROR)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes started meanwhile compute in one thread each."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
