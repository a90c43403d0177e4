"""One run from its settings to its last episode."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from verifiers.v1.utils.loaders import load_environment

from curriculum_env.adapters.verifiers.runner.config import RunConfig, described
from curriculum_env.adapters.verifiers.runner.local import in_process
from curriculum_env.adapters.verifiers.runner.loop import Execute, Loop
from curriculum_env.adapters.verifiers.runner.quota import Count, Refilled
from curriculum_env.adapters.verifiers.runner.rollouts import failure, outcomes, place
from curriculum_env.adapters.verifiers.runner.traces import TraceError, TraceFile
from curriculum_env.adapters.verifiers.runner.workers import in_workers
from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.errors import ConfigError, CurriculumError, RefillError
from curriculum_env.gates import build_gate
from curriculum_env.recorder import recorder_for
from curriculum_env.types import Outcome

logger = logging.getLogger(__name__)

_SYNC_SECONDS = 10.0


class Sink(Protocol):
    """Takes the run's numbers as they come."""

    def draw(self, number: int, uid: str, domain: str, level: str) -> None:
        """A draw was handed out."""

    def record(self, outcome: Outcome) -> None:
        """A rollout of a draw ended."""


class Session:
    """A run in `folder`, which holds its episodes and everything needed to go on with it.

    With `resume`, the episodes already there are kept: the logged draws are replayed, and only
    their missing rollouts are run before drawing goes on.
    """

    def __init__(self, config: RunConfig, folder: Path, sink: Sink, *, resume: bool) -> None:
        self.config = config
        self.folder = folder
        self.sink = sink
        self.traces = TraceFile(folder)
        self.env = _load(config)
        self.taskset: Any = self.env.taskset
        self.loop: Loop | None = None
        self.failure: CurriculumError | None = None
        """Why the run ended before its time: episodes cannot be written, or too few groups are
        worth training on."""
        self.batch: list[int] = []
        """With `refill`, the draws worth training on, once the run has ended."""
        self.refilled = _refilled(config)
        self._lost = 0
        self._stopping = False
        self._kept: dict[str | None, list[Any]] = defaultdict(list)
        self.resume = resume

    @property
    def curriculum(self) -> Any:
        """The live engine; None on a split that is not drawn."""
        return self.taskset.curriculum if self.taskset.INFINITE else None

    def open(self) -> None:
        """Load the pool and take the store, so that their errors come before any rollout.

        Raises:
            CurriculumError: the pool or the store cannot be used, or the store does not hold
                the draws whose episodes the folder holds.
        """
        saved = self.traces.finished(self.env.complete) if self.resume else []
        if self.curriculum is not None:
            self._require_logged([episode for _, episode in saved])
        if self.resume:
            self.traces.rewrite(line for line, _ in saved)
        for _, episode in saved:
            self._kept[episode.task.hash].append(episode)

    async def run(self) -> None:
        """Run the episodes; returns early after `stop`, at once when cancelled."""
        async with self._executor() as execute:
            self.loop = Loop(
                tasks=iter(self.taskset),
                execute=execute,
                observer=self,
                quota=self.refilled or Count(self.config.groups),
                group_size=self.config.group_size,
                concurrency=self.config.concurrency,
                stopping=self._stopping,
            )
            await self.loop.run()
        self._take()

    def stop(self) -> None:
        """Start no further rollout; those in flight finish."""
        self._stopping = True
        if self.loop is not None:
            self.loop.stop()

    def settle(self) -> None:
        """Write every outcome of the run that is still queued, and apply all to the beliefs; what
        works beside the curriculum ends."""
        if self.curriculum is not None:
            for stop in self.curriculum.at_close:
                stop()
            if store := self.taskset.config.task.store:
                recorder_for(store).flush()
            self.curriculum.sync(_SYNC_SECONDS)
            if self.curriculum.config.augment.enabled:
                self.curriculum.sync(_SYNC_SECONDS)  # writes what the last groups asked for

    def close(self) -> None:
        self.taskset.close()

    # --- what the loop reports ---------------------------------------------------------------
    def drawn(self, task: Any) -> int:
        at = place(task.data)
        self.sink.draw(*at)
        if self.refilled is not None:
            self.refilled.drawn(at.number)
        finished = self._kept.pop(task.hash, [])[: self.config.group_size]
        for episode in finished:
            self._record(task, episode)
        return len(finished)

    async def ended(self, task: Any, episode: Any) -> None:
        self._record(task, episode)
        try:
            await self.traces.append(episode)
        except TraceError as error:
            self.failure = self.failure or error
            self.stop()

    def lost(self, task: Any, error: Exception) -> None:
        self._lost += 1
        logger.warning("A rollout could not be run and is owed: %s", error)
        self._ended(task, [failure(place(task.data), f"lost-{self._lost}")])

    def _record(self, task: Any, episode: Any) -> None:
        self._ended(task, list(outcomes(task, episode)))

    def _ended(self, task: Any, came: list[Outcome]) -> None:
        """A rollout ended and left these outcomes."""
        for outcome in came:
            self.sink.record(outcome)
        if self.refilled is not None:
            self.refilled.ended(place(task.data).number, came)

    def _take(self) -> None:
        """The groups that were drawn on for, unless the run was told to stop."""
        if self.refilled is None or not self.refilled.refill.ready:
            return
        try:
            self.batch = self.refilled.refill.take()
        except RefillError as error:
            self.failure = self.failure or error

    # --- before the run ----------------------------------------------------------------------
    def _require_logged(self, episodes: list[Any]) -> None:
        curriculum = self.curriculum
        logged = {draw.number for draw in curriculum.store.draws(curriculum.run.first_draw)}
        kept = {place(episode.task.data).number for episode in episodes}
        if foreign := sorted(kept - logged):
            raise ConfigError(
                f"{self.folder} holds rollouts of {len(foreign)} draws (first: {foreign[0]}) that "
                f"the store {curriculum.store.url} does not know: resume with the run's own "
                "store, or start afresh with another --output."
            )

    @asynccontextmanager
    async def _executor(self) -> AsyncIterator[Execute]:
        if self.config.workers:
            async with in_workers(self.config, self.folder / "workers.log") as execute:
                yield execute
        else:
            async with in_process(self.env, self.config) as execute:
                yield execute


def _refilled(config: RunConfig) -> Refilled | None:
    if config.refill is None:
        return None
    curriculum: CurriculumConfig = config.env.taskset.curriculum
    gate, scale = build_gate(curriculum.gate), RewardScale(curriculum)
    return Refilled(gate, config.groups, config.group_size, config.refill, scale.success)


def _load(config: RunConfig) -> Any:
    try:
        return load_environment(config.env)
    except CurriculumError:
        raise
    except Exception as error:  # whatever an environment's own code raises when it is made
        raise ConfigError(
            f"the environment of {config.env.taskset.id!r} cannot be loaded ({described(error)})."
        ) from error
