"""A pool of tasks, and a policy that learns from what is drawn of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from curriculum_env.sim.policy import Policy, group_signal
from curriculum_env.sim.setting import Setting
from curriculum_env.sim.tasks import Tasks, draw_heldout, draw_tasks
from curriculum_env.types import Draw, FloatArray, Outcome, Row


@dataclass(slots=True)
class Rolled:
    """The rollouts of one draw: the share of the task that each solved, in [0, 1], and the reward
    it was given for it."""

    draw: Draw
    row: int
    solved_G: list[float]
    reward_G: list[float]

    def __add__(self, more: Rolled) -> Rolled:
        return Rolled(
            self.draw, self.row, self.solved_G + more.solved_G, self.reward_G + more.reward_G
        )

    @property
    def outcomes(self) -> list[Outcome]:
        number, uid = self.draw.number, self.draw.uid
        return [
            Outcome(number, uid, f"{number}.{i}", reward) for i, reward in enumerate(self.reward_G)
        ]


class World:
    """Tasks, a held-out set, and a policy whose gain from a group is its signal times its novelty.

    A task is solved with p = guess + (1 - guess) * sigmoid(mean ability in the skills it needs +
    heart - difficulty), `heart` being what was learned of this task alone; a dead task has p = 0.
    A group of n rollouts gains in proportion to its signal * n / group_size (`group_signal`). Of
    that the share `fresh` ** `seen` goes to the skills, and by transfer to related ones, `seen`
    being the rollouts of this task so far, in groups; the rest stays with the task: it is
    memorised, and lifts no other. A visit to a relative counts as the share `kin` of one to the
    task itself. An accepted wrong answer looks like signal and teaches nothing.

    Two worlds of one setting and seed have the same tasks, the same held-out set and the same
    drift, whatever is drawn of them.
    """

    def __init__(self, setting: Setting, seed: int) -> None:
        self.setting = setting
        rng = np.random.default_rng([seed, 0])
        self.tasks = draw_tasks(setting, setting.tasks, rng)
        self.heldout = draw_heldout(setting, rng)
        self.rows = self.tasks.rows(setting, rng)
        self.policy = Policy(setting, seed)
        self._rng = np.random.default_rng([seed, 2])
        self._uniform: list[float] = []
        self._index = {row.uid: i for i, row in enumerate(self.rows)}
        self._columns()
        self._screened: dict[int, Rolled] = {}
        self._learned = 0.0

    def _columns(self) -> None:
        """Lists for what one draw reads: a scalar of an array costs several times as much."""
        self._first: list[int] = []
        self._second: list[int] = []
        self._difficulty: list[float] = []
        self._parts: list[int] = []
        self._dead: list[bool] = []
        self.seen: list[float] = []
        self._heart: list[float] = []
        self._updated: list[int] = []
        self._root: list[int] = []
        self._family: list[float] = []
        self._list(self.tasks, self.rows)

    def _list(self, tasks: Tasks, rows: Sequence[Row]) -> None:
        self._first += tasks.first_N.tolist()
        self._second += tasks.second_N.tolist()
        self._difficulty += tasks.difficulty_N.tolist()
        self._parts += tasks.parts_N.tolist()
        self._dead += tasks.dead_N.tolist()
        self.seen += [0.0] * len(tasks)
        self._heart += [0.0] * len(tasks)
        self._updated += [0] * len(tasks)
        self._family += [0.0] * len(tasks)
        for place, row in enumerate(rows, len(self._root)):
            self._root.append(self._root[self._index[row.parent]] if row.parent else place)

    def add(self, tasks: Tasks, rows: Sequence[Row]) -> None:
        """Take in variants of its tasks, and the rows that show them."""
        start = len(self.rows)
        self.tasks += tasks
        self.rows.extend(rows)
        self._index.update((row.uid, start + place) for place, row in enumerate(rows))
        self._list(tasks, rows)

    def place(self, uid: str) -> int:
        """The number of the task with that uid; raises KeyError where there is none."""
        return self._index[uid]

    def pass_rate(self, row: int) -> float:
        """The true pass rate of a task of the pool now."""
        if self._dead[row]:
            return 0.0
        ability = self.policy.ability
        easier, harder = self.setting.weights
        skill = easier * ability[self._first[row]] + harder * ability[self._second[row]]
        return self.policy.pass_rate(skill + self.by_heart(row) - self._difficulty[row])

    def pass_rates(self) -> FloatArray:
        """`pass_rate` of every task of the pool."""
        keep_N = (1.0 - self.setting.forget) ** (self.policy.updates - np.array(self._updated))
        return self.policy.accuracy(self.tasks, keep_N * np.array(self._heart))

    def accuracy(self) -> tuple[float, FloatArray]:
        """The expected accuracy on the held-out tasks: over all, and of each domain."""
        solved_N = self.policy.accuracy(self.heldout)
        count_D = np.bincount(self.heldout.domain_N, minlength=self.setting.domains)
        solved_D = np.bincount(self.heldout.domain_N, solved_N, minlength=self.setting.domains)
        return float(solved_N.mean()), solved_D / np.maximum(count_D, 1)

    def roll(self, draw: Draw) -> Rolled:
        """The rollouts that the draw asks for, by the policy of now."""
        row = self._index[draw.uid]
        size, parts = draw.rollouts or self.setting.group_size, self._parts[row]
        p = self.pass_rate(row)
        passed = [u < p for u in self._uniforms(size * parts)]
        solved_G = [sum(passed[i : i + parts]) / parts for i in range(0, size * parts, parts)]
        return Rolled(draw, row, solved_G, self._check(solved_G))

    def learn(self, group: Rolled) -> None:
        """Take in one group. One that continues an earlier draw is learned from together with it,
        less what that taught already. The policy moves once per `batch` groups' worth of rollouts.
        """
        row, size = group.row, len(group.reward_G) / self.setting.group_size
        gained = self.by_heart(row) + self.policy.learn(
            self._first[row], self._second[row], self._signal(group), self.fresh(row, size), size
        )
        self._heart[row], self._updated[row] = gained, self.policy.updates
        self.seen[row] += size
        self._family[self._root[row]] += size
        self._learned += size
        if self._learned >= self.setting.batch:
            self._learned -= self.setting.batch
            self.policy.update()

    def fresh(self, row: int, size: float = 1.0) -> float:
        """The share of the next group's gain that generalises, for so many rollouts in units of
        `group_size`: the mean of fresh ** (groups seen before) over them."""
        fresh = self.setting.fresh
        even = size == 1.0 or fresh == 1.0
        span = 1.0 if even else (1.0 - fresh**size) / (size * (1.0 - fresh))
        others = self._family[self._root[row]] - self.seen[row]
        return float(fresh ** (self.seen[row] + self.setting.kin * others) * span)

    def _signal(self, group: Rolled) -> float:
        """The group's signal times its size; of a continuation, what it adds."""
        continued = group.draw.continues
        earlier = None if continued is None else self._screened.pop(continued, None)
        if earlier is not None:
            return self._worth(earlier + group) - self._worth(earlier)
        if group.draw.rollouts:
            self._screened[group.draw.number] = group
        return self._worth(group)

    def _worth(self, group: Rolled) -> float:
        size = len(group.reward_G) / self.setting.group_size
        return size * group_signal(group.reward_G, group.solved_G)

    def by_heart(self, row: int) -> float:
        """The logits that were learned of a task alone."""
        heart = self._heart[row]
        if heart == 0.0:
            return 0.0
        return heart * (1.0 - self.setting.forget) ** (self.policy.updates - self._updated[row])

    def _check(self, solved_G: list[float]) -> list[float]:
        """The rewards: the checker takes some wrong answers for right."""
        wrong = self.setting.false_accept
        if not wrong:
            return solved_G
        pairs = zip(solved_G, self._uniforms(len(solved_G)), strict=True)
        return [1.0 if u < wrong else solved for solved, u in pairs]

    def _uniforms(self, count: int) -> list[float]:
        if len(self._uniform) < count:
            self._uniform = self._rng.random(16_384).tolist()
        taken = self._uniform[-count:]
        del self._uniform[-count:]
        return taken
