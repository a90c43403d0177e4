"""What is drawn next: a fresh row, the plan's, or the one out longest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.alarms import Alarms
from curriculum_env.engine.augmenting import Augmenting
from curriculum_env.engine.availability import Availability
from curriculum_env.engine.growth import Grown, Growth
from curriculum_env.engine.plan import Explore, Plan, Planned, batch_size
from curriculum_env.estimators import Estimator
from curriculum_env.metrics import PoolPassRate
from curriculum_env.pool import Pool
from curriculum_env.samplers import Sampler, View
from curriculum_env.samplers.buckets import Buckets
from curriculum_env.types import BoolArray

_FEW = 32


@dataclass(slots=True)
class Chooser:
    """The parts of a curriculum that have a say in the next draw. `join` takes grown rows into the
    pool."""

    config: CurriculumConfig
    pool: Pool
    estimator: Estimator
    sampler: Sampler
    plan: Plan
    availability: Availability
    pass_rate: PoolPassRate
    growth: Growth
    augmenting: Augmenting
    alarms: Alarms
    join: Callable[[Grown | None], None]
    _buckets: Buckets = field(default_factory=Buckets, init=False)

    def choose(self, number: int, draws: int, group_size: int) -> Planned:
        """The row of draw `number`, the (`draws` + 1)th of this process: the next available one by
        the plan or, where none is, the one out longest."""
        available_N, allows = self.availability.available_N, self.augmenting.allows
        chosen = self._fresh(number, group_size) if self.growth.due(number) else None
        chosen = chosen or self.plan.next(available_N, allows)
        if chosen is None:
            self._refill(number, draws, group_size)
            chosen = self.plan.next(available_N, allows)
        if chosen is None and (others_N := self.augmenting.others(available_N)) is not None:
            self._refill(number, draws, group_size, others_N)
            chosen = self.plan.next(available_N)
        if chosen is None:
            self.alarms.force(len(self.pool))
            chosen = Planned(self.availability.longest_out(), 1.0)
        return chosen

    def _fresh(self, number: int, group_size: int) -> Planned | None:
        """A row that was never drawn, of the generator's."""
        if self.growth.empty(self.pool.find, self.availability.visits_N):
            self.join(self.growth.grow(number, self.pool, self.estimator, group_size))
        return self.growth.next(self.pool.find)

    def _refill(
        self, number: int, draws: int, group_size: int, only_N: BoolArray | None = None
    ) -> None:
        """Plan the next draws; a few where only some rows are looked at."""
        config, seen = self.config, self.availability
        key = np.array([config.seed, number], np.uint64)
        rng = np.random.Generator(np.random.Philox(key=key))
        available_N = seen.available_N if only_N is None else only_N
        view = View(
            self.estimator, available_N, seen.novelty_N, group_size, rng, config.pick, draws,
            self._strata(),
        )  # fmt: skip
        explore = Explore(config.explore * (1.0 - config.probe), config.explore * config.probe)
        size = config.refresh or batch_size(len(self.pool))
        if only_N is not None:
            size = min(size, _FEW)
        frame = self.pass_rate.frame(view.available_N)
        self.plan.refill(size, self.sampler, view, explore, frame)
        self.plan.queue, left = self.augmenting.thin(self.plan.queue)
        self.sampler.passed_over(left)

    def _strata(self) -> Buckets | None:
        """The buckets of the pool, where they are looked at."""
        if self.config.pick != "stratified":
            return None
        known = len(self._buckets.arm_N)
        self._buckets.add([self.pool[row] for row in range(known, len(self.pool))])
        return self._buckets
