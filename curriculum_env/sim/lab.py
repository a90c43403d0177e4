"""Every entrant in every setting on the same seeds, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path

from curriculum_env.errors import ConfigError
from curriculum_env.sim.entrants import Entrant
from curriculum_env.sim.kept import Job, Kept, Refused
from curriculum_env.sim.parallel import carry_out
from curriculum_env.sim.play import Play, play
from curriculum_env.sim.setting import Setting


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
    results: list[Play | Refused | None] = [None] * len(jobs)
    for position, result in carry_out(partial(run_job, folder=folder), jobs, processes):
        results[position] = result
        done()
    plays = [result for result in results if isinstance(result, Play)]
    refused = dict.fromkeys(result for result in results if isinstance(result, Refused))
    return plays, list(refused)
