"""The next rows, chosen together every so often: what makes a draw O(1)."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from curriculum_env.samplers import Choice, Sampler, View
from curriculum_env.samplers.view import smallest
from curriculum_env.types import BoolArray, FloatArray, IntArray

logger = logging.getLogger(__name__)

_LEAST = float(np.finfo(float).tiny)
_LOOKED_AT = 64
_LOOKED_AT_LEAST = 4_096


class Planned(NamedTuple):
    """A draw to be: see `Draw` for what its fields mean. A probe has the share of the pool that it
    was drawn from, and what the rest adds to the pool's pass rate."""

    row: int
    propensity: float
    rollouts: int = 0
    continues: int | None = None
    frame: tuple[float, float] | None = None


class Explore(NamedTuple):
    """Shares of the draws, in [0, 1]: to the least-known rows, and to any available ones alike."""

    known: float
    probe: float


class Plan:
    """A queue of draws to be; rows that became unavailable meanwhile are passed over."""

    def __init__(self) -> None:
        self.queue: deque[Planned] = deque()

    def next(
        self, available_N: BoolArray, allows: Callable[[int], bool] = lambda row: True
    ) -> Planned | None:
        """The next available row that is allowed, or None where the plan has run out."""
        while self.queue:
            planned = self.queue.popleft()
            if available_N[planned.row] and allows(planned.row):
                return planned
        return None

    def state_dict(self, uid: Callable[[int], str]) -> list[Any]:
        return [[uid(row), *rest] for row, *rest in self.queue]

    def load_state_dict(self, state: list[Any], row: Callable[[str], int | None]) -> None:
        found = ((row(uid), *rest) for uid, *rest in state)
        self.queue = deque(Planned(*fields) for fields in found if fields[0] is not None)

    def refill(
        self, n: int, sampler: Sampler, view: View, explore: Explore, frame: tuple[float, float]
    ) -> None:
        """Plan up to `n` draws, in random turn: a share to the least-known rows, a share (the
        probes, drawn from `frame`) to any available ones alike, the rest by the rule."""
        known, probe = explore if sampler.explores else Explore(0.0, 0.0)
        chance_K = view.rng.random(n)
        turn_K = np.where(chance_K < known, 0, np.where(chance_K < known + probe, 1, 2))
        view.available_N = view.available_N.copy()
        probes_K, probe_p = view.choose_evenly(int((turn_K == 1).sum()))
        view.available_N[probes_K] = False
        rest = max(1.0 - known - probe, _LEAST)
        known_K, known_p = least_known(int((turn_K == 0).sum()), view)
        view.available_N[known_K] = False
        choice = _selected(sampler, n - len(known_K) - len(probes_K), view)
        plans = (
            _planned(Choice(known_K, known * known_p)),
            _planned(Choice(probes_K, probe * probe_p), frame),
            _planned(choice._replace(propensity_K=rest * choice.propensity_K)),
        )
        self.queue = deque()
        for turn in turn_K.tolist():
            entries = (next(plans[index], None) for index in (turn, 2, 0, 1))
            entry = next((entry for entry in entries if entry is not None), None)
            if entry is None:
                break
            self.queue.append(entry)


def batch_size(size: int) -> int:
    """Draws chosen at a time: enough to spread the cost of a look at the whole pool, and few enough
    that no choice is older than 1/64 of it."""
    return max(min(size // 64, 6144), 4)


def _selected(sampler: Sampler, n: int, view: View) -> Choice:
    """What the rule selects or, where a rule from outside fails in mid-run, rows drawn evenly: an
    exception here would end a trainer's dispatch loop."""
    try:
        return _checked(Choice(*sampler.select(n, view)), view.size)
    except Exception:
        if view.draw == 0:
            raise
        logger.exception(
            "the rule %s failed; expected select() to return a Choice of rows and propensities; "
            "rows are drawn evenly meanwhile", type(sampler).__name__,
        )  # fmt: skip
        return Choice(*view.choose_evenly(n))


def _checked(choice: Choice, size: int) -> Choice:
    """The choice as arrays; raises ValueError where it is none of `size` rows."""
    rows_K, propensity_K = np.asarray(choice.rows_K), np.asarray(choice.propensity_K, np.float64)
    if rows_K.shape == propensity_K.shape == (0,):
        return Choice(np.empty(0, np.int64), propensity_K)
    rollouts_K = None if choice.rollouts_K is None else np.asarray(choice.rollouts_K)
    counts = [rows_K] if rollouts_K is None else [rows_K, rollouts_K]
    if not (
        rows_K.ndim == 1
        and all(np.issubdtype(count_K.dtype, np.integer) for count_K in counts)
        and all(count_K.shape == propensity_K.shape for count_K in counts)
        and all(count_K.min() >= 0 for count_K in counts)
        and rows_K.max() < size
        and bool(np.all((propensity_K >= 0.0) & (propensity_K <= 1.0 + 1e-9)))
    ):
        raise ValueError(f"{str(choice)[:200]} is no choice of {size} rows")
    return Choice(rows_K, np.clip(propensity_K, _LEAST, 1.0), rollouts_K)


def _planned(choice: Choice, frame: tuple[float, float] | None = None) -> Iterator[Planned]:
    count = len(choice.rows_K)
    rollouts = [0] * count if choice.rollouts_K is None else choice.rollouts_K.tolist()
    columns = (choice.rows_K.tolist(), choice.propensity_K.tolist(), rollouts)
    return map(Planned, *columns, [None] * count, [frame] * count)


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
