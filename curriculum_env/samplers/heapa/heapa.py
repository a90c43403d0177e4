"""HeaPA's sampler: draws from the boundary, archives, recycles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from curriculum_env.estimators.families import Families
from curriculum_env.estimators.lineage import refreshed
from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.heapa.config import HeapaConfig
from curriculum_env.samplers.heapa.state import restored, saved
from curriculum_env.samplers.heapa.stock import UNKNOWN, Stage, Stock
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray, Group, IntArray, Row


class Heapa(Sampler):
    """Rows from the boundary between the hard and the easy half of the pool (Wang et al., HeaPA,
    arXiv 2601.22448, and the authors' code, github.com/horizon-rl/HeaPA).

    A row's statistic is the mean shaped reward of its last group, in [-1, 1]: its success, or -1
    for an answer that could not be graded. Rows without one go first, in the order in which they
    came. What was drawn is archived until the rest cannot fill a batch or `archive_max` is reached;
    then rows that may be drawn are shuffled and put back, a chunk with each selection, under
    statistics refreshed from their variants. Only what is in the archive and not leased, cooling
    or worn out is recycled.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: HeapaConfig | None = None) -> None:
        self.config = config or HeapaConfig()
        self.memory = Memory(prior=UNKNOWN, score=UNKNOWN, key=UNKNOWN)
        self.families = Families()
        self.stock = Stock(self.config.alpha, self.config.capacity)
        self.drawn = self.recycled = self.recyclings = self.since_refresh = 0

    # --- rows and rewards ----------------------------------------------------------------------
    def add(self, rows: Sequence[Row]) -> None:
        start = len(self.memory)
        self.memory.add(rows)
        self.families.add(rows)
        keys = [self._prior(row) for row in rows]
        known = [UNKNOWN if key is None else key for key in keys]
        for name in ("prior", "score", "key"):
            self.memory[name][start:] = known
        self.stock.add(keys)

    def _prior(self, row: Row) -> float | None:
        if not self.config.priors or not row.prior_attempts:
            return None
        return row.prior_passes / row.prior_attempts

    def observe(self, group: Group) -> None:
        statistic = (sum(group.success_G) - group.invalid) / len(group.success_G)
        statistic = min(max(statistic, -1.0), 1.0)
        self.stock.withdraw(group.row)
        self.memory["score"][group.row] = self.memory["key"][group.row] = statistic

    # --- drawing -------------------------------------------------------------------------------
    def select(self, n: int, view: View) -> Choice:
        self._refresh_heaps(n)
        self._put_back(n)
        full = self.config.archive_max is not None and self.drawn >= self.config.archive_max
        if len(self.stock) < n or full:
            self._recycle(view, n, [])
        rows, propensities = self._draw(n, view)
        if len(rows) < n and self._recycle(view, n - len(rows), rows, crowd=True):
            more, chances = self._draw(n - len(rows), view)
            rows, propensities = rows + more, propensities + chances
        return Choice(np.array(rows, dtype=np.int64), np.array(propensities))

    def _draw(self, n: int, view: View) -> tuple[list[int], list[float]]:
        """Take out and archive up to `n` rows: cold ones, then, in mixed mode, easy ones for half
        of what is left, then those of the boundary."""

        def allowed(row: int) -> bool:
            return view.available_N.item(row)

        stock = self.stock
        sure = stock.take_cold(n, allowed)
        need = n - len(sure)
        if self.config.mixed and need:
            sure += stock.halves.easiest(need // 2, allowed)
        chosen, chance = stock.halves.boundary(n - len(sure), allowed, view.rng)
        rows = sure + chosen
        stock.draw(rows)
        self.drawn += len(rows)
        return rows, [1.0] * len(sure) + [chance] * len(chosen)

    def passed_over(self, rows: Sequence[int]) -> None:
        key_N = self.memory["key"]
        for row in reversed(rows):
            key = key_N.item(row)
            self.drawn -= self.stock.undraw(row, None if key == UNKNOWN else key)

    # --- recycling -----------------------------------------------------------------------------
    def _recycle(self, view: View, n: int, but: list[int], *, crowd: bool = False) -> bool:
        """Let the archived rows return that may be drawn now, except those of this selection."""
        available_N = view.available_N
        if but:
            available_N = available_N.copy()
            available_N[but] = False
        rows = self.stock.recycle(available_N)
        if rows:
            self._rescore(rows)
            self.stock.give_back([rows[i] for i in view.rng.permutation(len(rows)).tolist()])
            self.recyclings += 1
        self.drawn = 0
        return self._put_back(n, crowd=crowd)

    def _put_back(self, n: int, *, crowd: bool = False) -> bool:
        """A chunk of the returning rows, and as many more as make two candidates for each row
        asked for; whether there were any. They wait for room, unless they may `crowd` in."""
        stock, before = self.stock, self.recycled
        key_N = self.memory["key"]
        while stock.returning and (self.recycled == before or len(stock) < 2 * n):
            for _ in range(min(self.config.chunk, len(stock.returning))):
                if stock.full and not crowd:
                    return self.recycled > before
                row = stock.returning.popleft()
                key = key_N.item(row)
                stock.insert(row, None if key == UNKNOWN else key)
                self.recycled += 1
        return self.recycled > before

    # --- lineage -------------------------------------------------------------------------------
    def _refreshed(self) -> tuple[IntArray, FloatArray]:
        """The rows that have relatives, and their statistics refreshed, NaN where unknown."""
        rows_M, forest, factor_M = self.families.related()
        score_M = self.memory["score"][rows_M]
        score_M = np.where(score_M == UNKNOWN, math.nan, score_M)
        if self.config.lineage == "none":
            return rows_M, score_M
        return rows_M, refreshed(forest, score_M, factor_M, self.config.lineage, self.config.adjust)

    def _rescore(self, rows: Sequence[int]) -> None:
        """Key these rows by their refreshed statistics."""
        key_N = self.memory["key"]
        key_N[rows] = self.memory["score"][rows]
        if self.families.variants:
            rows_M, value_M = self._refreshed()
            here_M = np.isin(rows_M, rows) & ~np.isnan(value_M)
            key_N[rows_M[here_M]] = value_M[here_M]

    def _refresh_heaps(self, n: int) -> None:
        """Where it is due, key the rows in the heaps anew as well."""
        every = self.config.refresh_every
        self.since_refresh += n
        if every is None or self.since_refresh < every or not self.families.variants:
            return
        self.since_refresh = 0
        key_N, halves = self.memory["key"], self.stock.halves
        for row, value in zip(*(array.tolist() for array in self._refreshed()), strict=True):
            scored = self.stock.stage[row] == Stage.SCORED
            if scored and value == value and value != key_N.item(row):
                halves.discard(row)
                halves.insert(row, value)
                key_N[row] = value

    # --- state ---------------------------------------------------------------------------------
    def state_dict(self) -> dict[str, Any]:
        return saved(self)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        restored(self, state)

    def metrics(self) -> dict[str, float]:
        stock = self.stock
        return {
            "heap_low": float(len(stock.halves.low)),
            "heap_high": float(len(stock.halves.high)),
            "cold": float(stock.colds),
            "archived": float(len(stock.archive)),
            "returning": float(len(stock.returning)),
            "evicted": float(stock.evictions),
            "recycled": float(self.recycled),
            "recyclings": float(self.recyclings),
        }
