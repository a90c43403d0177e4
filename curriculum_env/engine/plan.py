"""The next rows, chosen together every so often: what makes a draw O(1)."""

from __future__ import annotations

from collections import deque

import numpy as np

from curriculum_env.samplers import Sampler, View
from curriculum_env.samplers.view import smallest
from curriculum_env.types import BoolArray, FloatArray, IntArray

_LOOKED_AT = 64
_LOOKED_AT_LEAST = 4_096


class Plan:
    """A queue of (row, propensity); rows that became unavailable meanwhile are passed over."""

    def __init__(self) -> None:
        self.queue: deque[tuple[int, float]] = deque()

    def next(self, available_N: BoolArray) -> tuple[int, float] | None:
        """The next available row, or None where the plan has run out."""
        while self.queue:
            row, propensity = self.queue.popleft()
            if available_N[row]:
                return row, propensity
        return None

    def refill(self, n: int, sampler: Sampler, view: View, explore: float) -> None:
        """Plan up to `n` draws: a share `explore` to the least-known rows, the rest by the rule,
        in random turn."""
        share = explore if sampler.explores else 0.0
        explores_K = view.rng.random(n) < share
        known_K, known_p = least_known(int(explores_K.sum()), view)
        view.available_N = view.available_N.copy()
        view.available_N[known_K] = False
        chosen_K, chosen_p = sampler.select(n - len(known_K), view)
        known = zip(known_K.tolist(), (share * known_p).tolist(), strict=True)
        chosen = zip(chosen_K.tolist(), ((1.0 - share) * chosen_p).tolist(), strict=True)
        self.queue = deque()
        for explores in explores_K:
            first, second = (known, chosen) if explores else (chosen, known)
            entry = next(first, None) or next(second, None)
            if entry is None:
                break
            self.queue.append(entry)


def least_known(n: int, view: View) -> tuple[IntArray, FloatArray]:
    """`n` available rows of the least evidence, ties broken at random, and their propensities.

    In a large pool they are the least known of 64 times as many rows looked at at random.
    """
    if n == 0:
        return np.empty(0, np.int64), np.empty(0)
    looked_at = max(_LOOKED_AT * n, _LOOKED_AT_LEAST)
    if view.size > 2 * looked_at:
        rows_C = np.unique(view.rng.integers(view.size, size=looked_at))
        rows_C = rows_C[view.available_N[rows_C]]
    else:
        rows_C = np.flatnonzero(view.available_N)
    key_C = view.estimator.evidence(rows_C) + 1e-6 * view.rng.random(len(rows_C))
    rows_K = rows_C[smallest(key_C, n)]
    return rows_K, np.full(len(rows_K), 1.0 / max(len(rows_C), 1))
