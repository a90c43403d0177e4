"""Fresh rows from a generator: candidates by the dozen, of which the most promising join the
pool."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.ahead import Ahead
from curriculum_env.engine.plan import Planned
from curriculum_env.engine.predict import Signals
from curriculum_env.estimators import Estimator
from curriculum_env.pool import Pool
from curriculum_env.pool.pool import check_row
from curriculum_env.samplers import View
from curriculum_env.samplers.buckets import Buckets
from curriculum_env.store.rows import plain, row_of
from curriculum_env.types import IntArray, Row

logger = logging.getLogger(__name__)

Generator: TypeAlias = Callable[[int], Row | None]
"""The candidate of that number, 0, 1, 2, ...: the same for the same number. None where there is
none, or it is held out."""

EVENT = "rows"
_AT_ONCE = 16
_PAUSE = 256


class Grown(NamedTuple):
    """Rows to be appended to the pool, and the event by which a resume finds them again."""

    rows: list[Row]
    event: dict[str, Any]


class _Proposals:
    """The candidates of a generator, each as it will come back from the log."""

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def __call__(self, number: int) -> Row | None:
        row = self._generator(number)
        if row is None:
            return None
        check_row(row, number)
        text = json.dumps(plain(row), allow_nan=False, ensure_ascii=False)
        if r"\u0000" in text:
            raise ValueError("a NUL character, which no database holds")
        text.encode()
        again = row_of(json.loads(text))
        check_row(again, number)
        return again


class Growth:
    """Gives a share of the draws to rows that were never there before.

    A row is made from 16 x `candidates` proposals at a time, by the signal predicted for them;
    what was not chosen is forgotten. The proposals are made ahead, in a thread. `proposed` numbers
    were tried so far. The chosen rows are logged whole, so the generator may change between runs
    without a draw getting lost.
    """

    def __init__(self, generator: Generator | None, config: CurriculumConfig) -> None:
        self._ahead = Ahead(_Proposals(generator)) if generator is not None else None
        self._config = config
        self._batch = _AT_ONCE * config.generate.candidates
        self._queue: deque[tuple[str, float]] = deque()
        self._paused_until = 0
        self._failed = False
        self._uids: list[str] = []
        self._generated = 0
        self.signals = Signals()
        self.proposed = 0

    def due(self, number: int) -> bool:
        """Whether draw `number` is to be a fresh row: evenly spaced, in the configured share."""
        share = self._config.generate.share
        if self._ahead is None or not share or number < self._paused_until:
            return False
        self._ahead.start(self.proposed, self._batch)
        return int((number + 1) * share) > int(number * share)

    def empty(self, find: Callable[[str], int | None], visits_N: IntArray) -> bool:
        """Whether none of the chosen rows is left that was never drawn."""
        while self._queue:
            row = find(self._queue[0][0])
            if row is not None and not visits_N[row]:
                return False
            self._queue.popleft()
        return True

    def next(self, find: Callable[[str], int | None]) -> Planned | None:
        """The next of the chosen rows, or None."""
        if not self._queue:
            return None
        uid, chance = self._queue.popleft()
        row = find(uid)
        assert row is not None
        return Planned(row, max(self._config.generate.share * chance, np.finfo(float).tiny))

    def grow(self, number: int, pool: Pool, estimator: Estimator, group_size: int) -> Grown | None:
        """The most promising of the next candidates, before draw `number`; None where there is
        no candidate, and then for the 256 draws after it."""
        candidates = list(self._candidates(pool))
        if not candidates:
            self._paused_until = number + _PAUSE
            return None
        score_C = self.signals.predict(estimator, candidates, group_size)
        key = np.array([self._config.seed, (1 << 63) + self.proposed], np.uint64)
        rng = np.random.Generator(np.random.Philox(key=key))
        everything = np.ones(len(candidates))
        buckets = Buckets()
        buckets.add(candidates)
        view = View(
            estimator, everything > 0, everything, group_size, rng, self._config.pick,
            buckets=buckets,
        )  # fmt: skip
        rows_K, chance_K = view.choose(np.maximum(score_C, 1e-9), _AT_ONCE)
        rows = [candidates[index] for index in rows_K]
        queue = [[row.uid, chance] for row, chance in zip(rows, chance_K.tolist(), strict=True)]
        event = {"proposed": self.proposed, "queue": queue, "rows": [plain(row) for row in rows]}
        self._take(event)
        return Grown(rows, event)

    def restore(self, events: Iterable[Mapping[str, Any]], pool: Pool) -> None:
        """Append the rows that earlier processes grew, as the store's events tell."""
        for event in events:
            self._append(event["rows"], pool)
            if "proposed" in event:
                self._take(event)

    def keep(self, rows: Iterable[Row]) -> None:
        """These rows joined the pool on the way, wherever they were made: a state holds them."""
        for row in rows:
            self._uids.append(row.uid)
            self._generated += not row.parent

    def state_dict(self, pool: Pool) -> dict[str, Any]:
        """The rows grown so far, and what is known of the next, as JSON values."""
        return {
            "proposed": self.proposed,
            "queue": [list(pair) for pair in self._queue],
            "paused_until": self._paused_until,
            "signals": self.signals.state_dict(),
            "rows": [plain(pool[pool.index(uid)]) for uid in self._uids],
        }

    def load_state_dict(self, state: Mapping[str, Any], pool: Pool) -> list[dict[str, Any]]:
        """Append the rows of the state that the pool lacks; go on from it, unless the store told of
        later ones. Returns the events by which a resume finds the appended rows again: the
        store, another than the state's, has none."""
        rows = self._append(state["rows"], pool)
        self.signals.load_state_dict(state["signals"])
        if state["proposed"] >= self.proposed:
            self._take(state)
            self._paused_until = state["paused_until"]
        return [{"rows": [plain(row) for row in rows]}] if rows else []

    def close(self) -> None:
        """Propose no more."""
        if self._ahead is not None:
            self._ahead.stop()

    def metrics(self) -> dict[str, float]:
        return {"proposed_rows": self.proposed, "generated_rows": self._generated}

    def _take(self, event: Mapping[str, Any]) -> None:
        self.proposed = event["proposed"]
        self._queue = deque((uid, chance) for uid, chance in event["queue"])

    def _append(self, rows: Iterable[list[Any]], pool: Pool) -> list[Row]:
        added = pool.add(row_of(row) for row in rows if pool.find(row[0]) is None)
        self.keep(added)
        return added

    def _candidates(self, pool: Pool) -> Iterator[Row]:
        """The next proposals that are distinct and new; a generator that fails is no reason to stop
        drawing."""
        assert self._ahead is not None
        seen: set[str] = set()
        for _ in range(self._batch):
            number, self.proposed = self.proposed, self.proposed + 1
            try:
                row = self._ahead.take(number)
            except Exception as error:
                self._failure(number, error)
                continue
            if row is not None and row.uid not in seen and pool.find(row.uid) is None:
                seen.add(row.uid)
                yield row

    def _failure(self, number: int, error: Exception) -> None:
        if not self._failed:
            self._failed = True
            logger.warning(
                "the generator failed at candidate %d (%s: %s); expected a Row of JSON values, or "
                "None; that candidate is passed over, and so is any other that fails",
                number, type(error).__name__, error, exc_info=error,
            )  # fmt: skip
