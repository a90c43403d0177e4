"""A policy that learns: abilities in skills, moved by groups of rollouts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from curriculum_env.sim.setting import Setting
from curriculum_env.sim.tasks import Tasks
from curriculum_env.types import FloatArray

_MEMORY = 0.95
_LEAST_SIGNAL = 0.01


class Policy:
    """An ability in each skill of each domain, in logits above where training started.

    `learn` collects the gains of groups; `update` moves by all of them at once, passes them on to
    related skills, takes from those that have had less of late, forgets and drifts. The drift
    depends on the seed alone. `step` are the logits that a group of full signal is worth at
    present: `gain` / (running mean of the groups' signal) ** `adaptive`.
    """

    def __init__(self, setting: Setting, seed: int) -> None:
        self._setting = setting
        self._speed: list[float] = np.repeat(setting.speeds, setting.skills).tolist()
        self._transfer_SS = transfer(setting)
        self._rng = np.random.default_rng([seed, 1])
        self._learned_S = np.zeros(setting.domains * setting.skills)
        self._walk_S = np.zeros_like(self._learned_S)
        self.ability: list[float] = self._learned_S.tolist()
        self._push = self.ability.copy()
        self._recent_S = np.zeros_like(self._learned_S)
        self._signal = self._size = self._mean = self._weight = 0.0
        self.step = setting.gain
        self.updates = 0

    def pass_rate(self, logit: float) -> float:
        """The chance in [0, 1] to solve a task at that logit."""
        guess = self._setting.guess
        return guess + (1.0 - guess) / (1.0 + math.exp(-logit))

    def accuracy(self, tasks: Tasks, heart_N: FloatArray | float = 0.0) -> FloatArray:
        """The expected reward of one rollout of each task, in [0, 1]; 0 for dead tasks.
        `heart_N`: logits learned of each task alone."""
        ability_S, guess = np.array(self.ability), self._setting.guess
        easier, harder = self._setting.weights
        skill_N = easier * ability_S[tasks.first_N] + harder * ability_S[tasks.second_N]
        p_N = guess + (1.0 - guess) / (1.0 + np.exp(tasks.difficulty_N - skill_N - heart_N))
        return np.where(tasks.dead_N, 0.0, p_N)

    def learn(self, first: int, second: int, signal: float, fresh: float, size: float) -> float:
        """Take in `size` groups' worth of rollouts of a task that needs these two skills, with
        their summed signal, of which the share `fresh` generalises; returns the logits that the
        rest adds to the task alone."""
        self._signal += signal
        self._size += size
        easier, harder = self._setting.weights
        self._push[first] += self._speed[first] * signal * fresh * easier
        self._push[second] += self._speed[second] * signal * fresh * harder
        return self._speed[first] * self.step * signal * (1.0 - fresh)

    def update(self) -> None:
        """Move by what came in since the last update."""
        setting = self._setting
        self._mean += (1.0 - _MEMORY) * (self._signal / self._size - self._mean)
        self._weight += (1.0 - _MEMORY) * (1.0 - self._weight)
        running = max(self._mean / self._weight, _LEAST_SIGNAL)
        self.step = setting.gain / running**setting.adaptive
        self._learned_S *= 1.0 - setting.forget
        push_S = np.array(self._push)
        self._recent_S += 2.0 / (setting.domains + 1) * (push_S - self._recent_S)
        self._learned_S += self.step * (self._transfer_SS @ push_S - self._lost())
        self._walk_S += setting.drift * self._rng.standard_normal(len(self._walk_S))
        self.ability = (self._learned_S + self._walk_S).tolist()
        self._push, self._signal, self._size = [0.0] * len(self.ability), 0.0, 0.0
        self.updates += 1

    def _lost(self) -> FloatArray:
        """What the pushes of late take from each skill: those of its domain that had more."""
        recent_DS = self._recent_S.reshape(-1, self._setting.skills)
        behind_DS = recent_DS.max(axis=1, keepdims=True) - recent_DS
        return np.asarray(self._setting.interference * behind_DS.ravel() / self._setting.skills)


def transfer(setting: Setting) -> FloatArray:
    """What a push on each skill (column) adds to each (row): `transfer` ** distance within a
    domain, of that the share `across` in another."""
    place = np.arange(setting.skills)
    within = setting.transfer ** np.abs(place[:, None] - place[None, :])
    domains = np.full((setting.domains, setting.domains), setting.across)
    np.fill_diagonal(domains, 1.0)
    return np.kron(domains, within)


def group_signal(reward_G: Sequence[float], solved_G: Sequence[float]) -> float:
    """cov(A, solved) / .5, A the group's rewards less their mean in units of their deviation.

    It is the gradient on the log-odds of solving the task (GRPO with normalised advantages), 1 at
    most for 0/1 rewards; where the checker is right it is twice the deviation of the rewards; 0 for
    a group all alike.
    """
    size = len(reward_G)
    mean = sum(reward_G) / size
    variance = sum((reward - mean) ** 2 for reward in reward_G) / size
    if variance < 1e-12:
        return 0.0
    pairs = zip(reward_G, solved_G, strict=True)
    covariance = sum((reward - mean) * solved for reward, solved in pairs) / size
    return 2.0 * covariance / math.sqrt(variance)
