"""Runs the steps of a build on the cores of this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol, TypeVar

from curriculum_env.errors import PoolError
from curriculum_env.pool.cleaning.prepare import Piece, Preparer, pieces
from curriculum_env.pool.cleaning.report import BuildReport
from curriculum_env.pool.cleaning.settings import BuildSettings
from curriculum_env.pool.cleaning.shards import Records, Shards
from curriculum_env.pool.cleaning.steps import Steps
from curriculum_env.workers import follow_parent

Tick = Callable[[int], None]
T = TypeVar("T")


class Watch(Protocol):
    """Shows how far a build is."""

    def step(self, name: str, total: int | None) -> AbstractContextManager[Tick]:
        """A step begins; its `Tick` is told how many more of `total` records are done."""
        ...


class Unwatched:
    """Shows nothing."""

    @contextmanager
    def step(self, name: str, total: int | None) -> Iterator[Tick]:
        yield lambda _: None


def build_pool(
    settings: BuildSettings,
    output: Path,
    *,
    processes: int = 0,
    resume: bool = True,
    watch: Watch | None = None,
) -> BuildReport:
    """Write a clean pool and its quarantine and report into the folder `output`.

    With `processes` of them, 0 for one per core. The result does not depend on their number. A
    build of the same settings and files that was cut short goes on where it stopped, unless
    `resume` is False.

    Raises:
        ConfigError: a library is missing, or the folder cannot be written.
        PoolError: a source cannot be read.
    """
    watch = watch or Unwatched()
    workers = processes or os.cpu_count() or 1
    steps = Steps(settings, output, parts=workers)
    with steps.alone(), steps.told(), _survived():
        steps.begin(resume=resume)
        with _pool(workers) as pool:
            with watch.step("read", None) as tick:
                _read(steps, pool, workers, tick)
            with watch.step("duplicates", None):
                steps.compare_exact()
            with watch.step("near duplicates", workers) as tick:
                for done in [pool.submit(steps.compare_near, part) for part in range(workers)]:
                    done.result()
                    tick(1)
        with watch.step("write", len(Records(steps.shards))) as tick:
            return steps.finish(tick)


@contextmanager
def _survived() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        raise PoolError(
            "a process of the build died, perhaps of too little memory; give the same command "
            "again to go on, with fewer --processes"
        ) from error


class _Here:
    """Runs in this process what a pool of one would run elsewhere."""

    def submit(self, call: Callable[..., T], *arguments: Any) -> Future[T]:
        done: Future[T] = Future()
        done.set_result(call(*arguments))
        return done


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor | _Here]:
    if workers == 1:
        yield _Here()
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    else:
        pool.shutdown()


def _begin() -> None:
    """Ctrl-C is the parent process's affair."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    follow_parent()


def _read(steps: Steps, pool: ProcessPoolExecutor | _Here, workers: int, tick: Tick) -> None:
    """Two pieces per process at most are on their way, so that memory stays bounded."""
    under_way: dict[Future[None], int] = {}
    for piece in pieces(steps.settings):
        if not steps.waiting(piece):
            tick(len(piece.records))
            continue
        if len(under_way) >= 2 * workers:
            _collect(under_way, tick)
        done = pool.submit(_prepare, steps.settings, steps.shards, piece)
        under_way[done] = len(piece.records)
    while under_way:
        _collect(under_way, tick)


def _collect(under_way: dict[Future[None], int], tick: Tick) -> None:
    for done in wait(under_way, return_when=FIRST_COMPLETED).done:
        done.result()
        tick(under_way.pop(done))


_preparers: dict[str, Preparer] = {}


def _prepare(settings: BuildSettings, shards: Shards, piece: Piece) -> None:
    """Runs in a worker, which prepares itself once."""
    key = str(shards.folder)
    if key not in _preparers:
        _preparers.clear()
        _preparers[key] = Preparer(settings)
    _preparers[key].write(piece, shards)
