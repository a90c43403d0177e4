"""The simulated tasks: what each needs, how hard it is, and what of it is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from curriculum_env.sim.setting import Setting
from curriculum_env.types import BoolArray, FloatArray, IntArray, Row

SOLVED = 8.0
"""Logits by which a task solved before training is easy."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """Arrays over tasks. Skills are numbered through all domains, domain by domain."""

    domain_N: IntArray
    first_N: IntArray
    """The easier of the two skills needed."""
    second_N: IntArray
    """The harder one; the first again where the task needs one skill alone."""
    difficulty_N: FloatArray
    dead_N: BoolArray
    parts_N: IntArray

    def __len__(self) -> int:
        return len(self.domain_N)

    def only(self, task: int) -> Tasks:
        """That task alone."""
        return Tasks(*(getattr(self, name)[task : task + 1] for name in self.__slots__))

    def __add__(self, more: Tasks) -> Tasks:
        names = self.__slots__
        pairs = [(getattr(self, name), getattr(more, name)) for name in names]
        return Tasks(*map(np.concatenate, pairs))

    def rows(self, setting: Setting, rng: np.random.Generator) -> list[Row]:
        """What a curriculum is shown of the tasks: domain, level (`Setting.pairs`) and a length
        that grows with both skills, or nothing."""
        skill_N2 = np.stack([self.first_N, self.second_N], axis=1) % setting.skills
        length_N = 20 + 10 * skill_N2.sum(axis=1) + rng.integers(0, 10, len(self))
        if not setting.known:
            return [Row(f"{i:06x}", {"task": i}) for i in range(len(self))]
        levels = [str(harder + 1) for harder in skill_N2[:, 1].tolist()]
        if setting.pairs:
            levels = [f"{i + 1}+{j + 1}" for i, j in rng.permuted(skill_N2, axis=1).tolist()]
        shown = zip(self.domain_N.tolist(), levels, length_N.tolist(), strict=True)
        return [
            Row(f"{i:06x}", {"task": i}, f"d{domain}", level, {"length": length})
            for i, (domain, level, length) in enumerate(shown)
        ]


def draw_tasks(setting: Setting, count: int, rng: np.random.Generator) -> Tasks:
    """`count` tasks of the setting's pool."""
    mix_S = np.array(setting.mix) / sum(setting.mix)
    tasks = _draw(setting, count, mix_S, rng)
    tail_N = rng.random(count)
    dead_N = tail_N < setting.dead
    solved_N = ~dead_N & (tail_N < setting.dead + (1.0 - setting.dead) * setting.solved)
    easy_N = np.where(solved_N, -SOLVED, tasks.difficulty_N)
    return replace(tasks, dead_N=dead_N, difficulty_N=easy_N)


def draw_heldout(setting: Setting, rng: np.random.Generator) -> Tasks:
    """The held-out tasks: every domain and every skill alike whatever the pool's mix; none is
    dead, none was solved before training."""
    even_S = np.full(setting.skills, 1.0 / setting.skills)
    return _draw(setting, setting.heldout, even_S, rng)


def _draw(setting: Setting, count: int, mix_S: FloatArray, rng: np.random.Generator) -> Tasks:
    domain_N = rng.integers(setting.domains, size=count)
    skill_N2 = np.sort(rng.choice(setting.skills, size=(count, 2), p=mix_S), axis=1)
    single_N = rng.random(count) < setting.single
    one_N = np.where(rng.random(count) < 0.5, skill_N2[:, 0], skill_N2[:, 1])
    skill_N2[single_N] = one_N[single_N, None]
    own_N = setting.spread * rng.standard_normal(count)
    return Tasks(
        domain_N,
        domain_N * setting.skills + skill_N2[:, 0],
        domain_N * setting.skills + skill_N2[:, 1],
        setting.step * (skill_N2 @ setting.weights) - setting.easiest + own_N,
        np.zeros(count, np.bool_),
        rng.choice(setting.parts, size=count),
    )
