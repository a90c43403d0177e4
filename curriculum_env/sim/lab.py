"""Every entrant in every setting on the same seeds, in parallel."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from curriculum_env.errors import ConfigError
from curriculum_env.sim.entrants import Entrant
from curriculum_env.sim.kept import Job, Kept, Refused
from curriculum_env.sim.play import Play, play
from curriculum_env.sim.setting import Setting
from curriculum_env.workers import follow_parent

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_job(job: Job, folder: Path | None = None) -> Play | Refused:
    """Play one job in this process, or read it from the folder that keeps runs."""
    if folder is None:
        return _play(job)
    kept = Kept(folder)
    result = kept.read(job)
    if result is None:
        result = _play(job)
        kept.write(job, result)
    return result


def _play(job: Job) -> Play | Refused:
    try:
        return play(job.entrant.name, job.entrant.config, job.setting, job.seed)
    except ConfigError as error:
        return Refused(job.entrant.name, job.setting.name, str(error))


def run_lab(
    entrants: Sequence[Entrant],
    settings: Sequence[Setting],
    seeds: Iterable[int],
    processes: int = 0,
    done: Callable[[], None] = lambda: None,
    folder: Path | None = None,
) -> tuple[list[Play], list[Refused]]:
    """Play everyone in every setting on every seed, in `processes` processes of one thread each
    (0: one per core); `done` is called after each run. Seed by seed; the order of the result is
    that of the jobs, whatever finished first. Runs that `folder` keeps are not played again, and
    those played are kept there."""
    jobs = [Job(*job) for seed in seeds for job in product(entrants, settings, [seed])]
    processes = min(processes or os.cpu_count() or 1, len(jobs))
    results: list[Play | Refused | None] = [None] * len(jobs)
    for position, result in _results(jobs, processes, folder):
        results[position] = result
        done()
    plays = [result for result in results if isinstance(result, Play)]
    refused = dict.fromkeys(result for result in results if isinstance(result, Refused))
    return plays, list(refused)


def _results(
    jobs: Sequence[Job], processes: int, folder: Path | None
) -> Iterator[tuple[int, Play | Refused]]:
    if processes <= 1:
        yield from ((position, run_job(job, folder)) for position, job in enumerate(jobs))
        return
    spawn = multiprocessing.get_context("spawn")
    with _one_thread(), ProcessPoolExecutor(processes, spawn, _begin) as pool:
        waiting = {pool.submit(run_job, job, folder): position for position, job in enumerate(jobs)}
        try:
            for future in as_completed(waiting):
                yield waiting.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin() -> None:
    """A lab's false alarms are counted, not told."""
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
