"""Rules that see the policy itself: no competitors, but what a perfect belief would buy."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from curriculum_env.samplers import Choice, Sampler, View
from curriculum_env.sim.informed import Informed
from curriculum_env.sim.world import World
from curriculum_env.types import FloatArray, Group

Worth = Literal["gain", "live", "informed"]


class Oracle(Sampler):
    """Rows by their true worth under the policy of now.

    `worth = "gain"` is the deviation of a rollout's reward times what is still fresh of the task;
    `"live"` is 1 for each task that is not dead; `"informed"` is the gain as one expects it who
    knows the policy but not each task (`Informed`): what the best of estimators would buy. `pick`
    and `novelty` of the curriculum apply as to any rule.
    """

    explores: ClassVar[bool] = False

    def __init__(self, worth: Worth = "gain") -> None:
        self._worth = worth
        self.world: World | None = None
        self._informed: Informed | None = None

    def observe(self, group: Group) -> None:
        if self._informed is not None:
            self._informed.learn(group.row, group.success_G)

    def select(self, n: int, view: View) -> Choice:
        assert self.world is not None
        return Choice(*view.choose(self._score(self.world), n))

    def _score(self, world: World) -> FloatArray:
        if self._worth == "live":
            return np.where(world.tasks.dead_N, 0.0, 1.0)
        fresh_N = world.setting.fresh ** np.array(world.seen)
        if self._worth == "informed":
            informed = self._informed = self._informed or Informed(world)
            spread_N: FloatArray = np.array([informed.spread(row) for row in range(len(fresh_N))])
            return fresh_N * spread_N
        p_N = world.pass_rates()
        return np.asarray(fresh_N * np.sqrt(p_N * (1.0 - p_N)))


def show(sampler: Any, world: World) -> None:
    """Let an oracle see the world; nothing happens to any other rule."""
    if isinstance(sampler, Oracle):
        sampler.world = world
