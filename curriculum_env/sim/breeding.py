"""Variants of lab tasks, as a policy and a teacher would make them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from curriculum_env.sim.tasks import Tasks
from curriculum_env.sim.world import World
from curriculum_env.store.queue import RECHECK, Augmentation
from curriculum_env.types import Row

_LOGITS = {"harder": 0.7, "easier": -0.7}
_FACTOR_PER_LOGIT, _FACTOR_NOISE = 0.25, 0.1
_FACTORS = (0.75, 1.33)


class Breeder:
    """A variant needs the skills of its parent and is about as hard: `near` logits apart, .7 more
    or less where it is to be harder or easier. What is written on it, d = exp(.25 x logits) with a
    tenth of noise, lies in [.75, 1.33]. A variant of a task that nobody solves is one itself.

    `refused` is the share that the teacher finds unsolvable; of the others the share `broken` goes
    into the pool with a wrong answer, and asked again the teacher does not mend it.
    """

    def __init__(self, world: World, seed: int) -> None:
        self._world, self._setting = world, world.setting
        self._rng = np.random.default_rng([seed, 4])
        self.broken: set[str] = set()
        """The uids of the variants whose answer is wrong."""

    def make(self, item: Augmentation) -> Row | str:
        """The variant that is asked for, a task of the world from now on; or why there is none."""
        setting, rng = self._setting, self._rng
        if item.kind == RECHECK:
            return "unchanged"
        if rng.random() < setting.refused:
            return "unsolvable"
        logits = _LOGITS.get(item.kind, 0.0) + setting.near * rng.standard_normal()
        broken = rng.random() < setting.broken
        parent = self._world.place(item.source.uid)
        tasks = _variant(self._world.tasks, parent, logits, broken)
        row = self._row(item.source, logits)
        if broken:
            self.broken.add(row.uid)
        self._world.add(tasks, [row])
        return row

    def _row(self, parent: Row, logits: float) -> Row:
        number, rng = len(self._world.tasks), self._rng
        factor = math.exp(_FACTOR_PER_LOGIT * logits + _FACTOR_NOISE * rng.standard_normal())
        features = dict(parent.features)
        if "length" in features:
            features["length"] += int(rng.integers(-5, 6))
        low, high = _FACTORS
        return replace(
            parent,
            uid=f"{number:06x}",
            data={"task": number},
            features=features,
            parent=parent.uid,
            factor=min(max(factor, low), high),
        )


def _variant(tasks: Tasks, parent: int, logits: float, broken: bool) -> Tasks:
    one = tasks.only(parent)
    return replace(
        one, difficulty_N=one.difficulty_N + logits, dead_N=one.dead_N | np.array([broken])
    )
