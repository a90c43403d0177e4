"""Which rows may be drawn: neither leased, nor cooling, nor used up."""

from __future__ import annotations

from collections import deque

import numpy as np

from curriculum_env.config import CurriculumConfig
from curriculum_env.samplers import Pick
from curriculum_env.types import BoolArray, FloatArray, IntArray

NEVER = -1
LEAST_NOVELTY = 1e-12
COOLING: dict[Pick, int] = {"stratified": 16, "proportional": 16, "top": 4}
"""The pool over its part that cools where no cooldown is set: the highest weights alone would be
the same few rows again and again."""
MOST_COOLING = 4096


class Availability:
    """Arrays over rows that change in O(1) per draw.

    `cooldown` draws pass after a row's own before it may come back; `max_reuse` draws retire it;
    each draw multiplies its `novelty_N` by `novelty`. Time is the number of the draw.
    """

    def __init__(self, config: CurriculumConfig) -> None:
        self._config = config
        self._max_reuse, self._novelty = config.max_reuse, config.novelty
        self.cooldown = config.cooldown or 0
        """Draws a row stays out: as configured, else the part of the pool that `COOLING` says and
        at most 4,096."""
        self.available_N: BoolArray = np.empty(0, np.bool_)
        self.leased_N: BoolArray = np.empty(0, np.bool_)
        self.visits_N: IntArray = np.empty(0, np.int64)
        self.last_draw_N: IntArray = np.empty(0, np.int64)
        self.novelty_N: FloatArray = np.empty(0)
        self._cooling: deque[tuple[int, int]] = deque()
        self._retired: set[int] = set()
        self._next = 0

    def add(self, count: int) -> None:
        """Append `count` fresh rows."""
        self.available_N = np.concatenate([self.available_N, np.ones(count, np.bool_)])
        self.leased_N = np.concatenate([self.leased_N, np.zeros(count, np.bool_)])
        self.visits_N = np.concatenate([self.visits_N, np.zeros(count, np.int64)])
        self.last_draw_N = np.concatenate([self.last_draw_N, np.full(count, NEVER)])
        self.novelty_N = np.concatenate([self.novelty_N, np.ones(count)])
        if self._config.cooldown is None:
            part = len(self.available_N) // COOLING[self._config.pick]
            self._set_cooldown(min(MOST_COOLING, part))

    def take(self, row: int, draw: int, *, lease: bool = True) -> None:
        """The row is drawn as number `draw`."""
        self.visits_N[row] += 1
        self.novelty_N[row] = max(self.novelty_N.item(row) * self._novelty, LEAST_NOVELTY)
        self.last_draw_N[row] = draw
        self.leased_N[row] = lease
        self.available_N[row] = False
        self._cooling.append((row, draw))

    def give_back(self, row: int) -> None:
        """The row's lease ended."""
        self.leased_N[row] = False
        self._settle(row)

    def advance(self, draw: int) -> None:
        """Draw number `draw` is the next: let the rows that cooled long enough come back."""
        self._next = draw
        cooling, cooled = self._cooling, draw - self.cooldown
        while cooling and cooling[0][1] < cooled:
            self._settle(cooling.popleft()[0])

    def _set_cooldown(self, draws: int) -> None:
        """Rows that came back under a shorter cooldown cool again: which ones are out depends on
        what was drawn when and on the pool of now, not on how that grew."""
        if draws == self.cooldown:
            return
        self.cooldown = draws
        cooling_N = self._cooling_now()
        self.available_N &= ~cooling_N
        self._queue(cooling_N)

    def _cooling_now(self) -> BoolArray:
        last_N = self.last_draw_N
        return np.asarray((last_N != NEVER) & (last_N + self.cooldown >= self._next))

    def _queue(self, cooling_N: BoolArray) -> None:
        rows_K = np.flatnonzero(cooling_N)
        rows_K = rows_K[np.argsort(self.last_draw_N[rows_K], kind="stable")]
        drawn = self.last_draw_N[rows_K].tolist()
        self._cooling = deque(zip(rows_K.tolist(), drawn, strict=True))

    def retire(self, row: int) -> None:
        """The row is to be drawn no more."""
        self._retired.add(row)
        self.available_N[row] = False

    def longest_out(self) -> int:
        """The row to draw when the rule has none: drawn longest ago, leased ones last, retired and
        used up ones never as long as there are others."""
        out_N = self.last_draw_N + np.where(self.leased_N, 1 << 60, 0)
        out_N[self._worn()] = 1 << 61
        out_N[list(self._retired)] = 1 << 62
        return int(np.argmin(out_N))

    def _worn(self) -> BoolArray:
        if self._max_reuse is None:
            return np.zeros(len(self.visits_N), np.bool_)
        return np.asarray(self.visits_N >= self._max_reuse)

    def _settle(self, row: int) -> None:
        last = self.last_draw_N.item(row)
        cooling = last != NEVER and last + self.cooldown >= self._next
        worn = self._max_reuse is not None and self.visits_N.item(row) >= self._max_reuse
        out = cooling or worn or row in self._retired
        self.available_N[row] = not (out or self.leased_N.item(row))

    def restore(self, visits_N: IntArray, last_draw_N: IntArray, draw: int) -> None:
        """Rebuild everything but the leases from what was drawn when."""
        self.visits_N, self.last_draw_N, self._next = visits_N, last_draw_N, draw
        self.novelty_N = self._novelty_after(int(visits_N.max(initial=0)))[visits_N]
        self.leased_N = np.zeros(len(visits_N), np.bool_)
        cooling_N = self._cooling_now()
        self.available_N = ~(cooling_N | self._worn())
        self.available_N[list(self._retired)] = False
        self._queue(cooling_N)

    def _novelty_after(self, visits: int) -> FloatArray:
        """The novelty after 0, 1, ... `visits` draws, to the last bit what `take` makes of it."""
        factors = np.full(visits + 1, self._novelty)
        factors[0] = 1.0
        return np.maximum(np.cumprod(factors), LEAST_NOVELTY)

    def lease(self, row: int) -> None:
        """Lease a row that was drawn before the state was saved."""
        self.leased_N[row] = True
        self.available_N[row] = False
