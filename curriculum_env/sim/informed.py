"""What any estimator could know of a simulated run: everything but the state of each task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from curriculum_env.sim.setting import Setting
from curriculum_env.sim.tasks import SOLVED
from curriculum_env.sim.world import World
from curriculum_env.types import FloatArray

_NODES = 41
_REACH = 4.0


class Informed:
    """The exact belief (a Bayes filter on a grid) of one who knows the policy's abilities at every
    moment, how tasks are drawn, and what was learned of each by heart.

    Not known is, of each task, whether it is dead, whether it was solved before training, its own
    difficulty, and, where no features are shown, the skills it needs. An estimator has to learn
    the rest as well: on average its log-loss lies above.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        setting = world.setting
        self._own_N = setting.spread * np.linspace(-_REACH, _REACH, _NODES)
        weight_N = np.exp(-0.5 * np.linspace(-_REACH, _REACH, _NODES) ** 2)
        self._weight_N = weight_N / weight_N.sum()
        self._skills_K2, self._chance_K = _kinds(setting)
        self._belief: dict[int, FloatArray] = {}

    def predict(self, row: int) -> float:
        """The expected reward of a rollout now."""
        return float(self._of(row) @ self._rates(row))

    def spread(self, row: int) -> float:
        """The expected standard deviation of a rollout's reward now, the reward being 0 or 1."""
        p_S = self._rates(row)
        return float(self._of(row) @ np.sqrt(p_S * (1.0 - p_S)))

    def learn(self, row: int, reward_G: Sequence[float]) -> None:
        """Take in a group, rolled by the policy of now."""
        parts = int(self._world.tasks.parts_N[row])
        passes, size = sum(reward_G), len(reward_G)
        p_S = np.clip(self._rates(row), 1e-12, 1.0 - 1e-12)
        log_S = parts * (passes * np.log(p_S) + (size - passes) * np.log1p(-p_S))
        belief_S = self._of(row) * np.exp(log_S - log_S.max())
        self._belief[row] = belief_S / belief_S.sum()

    def _of(self, row: int) -> FloatArray:
        """The probability of each state: dead, then solved and each own difficulty by kind."""
        if row not in self._belief:
            setting = self._world.setting
            solved = (1.0 - setting.dead) * setting.solved
            each_N = np.array([solved, *(1.0 - setting.dead - solved) * self._weight_N])
            chance_K = np.ones(1) if setting.known else self._chance_K
            live_S = np.outer(chance_K, each_N).ravel()
            self._belief[row] = np.concatenate([[setting.dead], live_S])
        return self._belief[row]

    def _rates(self, row: int) -> FloatArray:
        """The pass rate in each state."""
        world, setting = self._world, self._world.setting
        tasks, skills_K2 = world.tasks, self._skills_K2
        if setting.known:
            skills_K2 = np.array([[tasks.first_N[row], tasks.second_N[row]]])
        ability_K = np.array(world.policy.ability)[skills_K2] @ setting.weights
        ability_K = ability_K + world.by_heart(row)
        hard_K = setting.step * (skills_K2 % setting.skills @ setting.weights) - setting.easiest
        open_KN = (ability_K - hard_K)[:, None] - self._own_N
        live_S = np.concatenate([ability_K[:, None] + SOLVED, open_KN], axis=1).ravel()
        solved_S = setting.guess + (1.0 - setting.guess) / (1.0 + np.exp(-live_S))
        p_S = np.concatenate([[0.0], solved_S])
        return np.asarray(setting.false_accept + (1.0 - setting.false_accept) * p_S)


def _kinds(setting: Setting) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], FloatArray]:
    """The pairs of skills that a task may need, numbered through all domains, and how common each
    is."""
    mix = np.array(setting.mix) / sum(setting.mix)
    pairs, chances = [], []
    for domain in range(setting.domains):
        for i, j in combinations_with_replacement(range(setting.skills), 2):
            two = (1.0 - setting.single) * mix[i] * mix[j] * (1.0 if i == j else 2.0)
            chance = two + (setting.single * mix[i] if i == j else 0.0)
            pairs.append([domain * setting.skills + i, domain * setting.skills + j])
            chances.append(chance / setting.domains)
    return np.array(pairs), np.array(chances)
