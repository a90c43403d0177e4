"""Ask for a row, tell what its rollouts earned."""

from __future__ import annotations

import logging
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.availability import NEVER, Availability
from curriculum_env.engine.check import check_outcome
from curriculum_env.engine.draw_log import DrawLog
from curriculum_env.engine.feed import Feed
from curriculum_env.engine.grader import Grader
from curriculum_env.engine.plan import Plan
from curriculum_env.engine.resume import Opened, open_run, segments
from curriculum_env.engine.state import VERSION, check_version, match_rows
from curriculum_env.errors import PoolError, StateError
from curriculum_env.estimators import build_estimator
from curriculum_env.metrics import Diversity
from curriculum_env.pool import Pool
from curriculum_env.samplers import View, build_sampler
from curriculum_env.store import Store, open_store
from curriculum_env.types import STATUSES, Draw, Outcome, Row

logger = logging.getLogger(__name__)

DRAIN_LIMIT = 512
SILENT_DRAWS = 512
LEASE_DRAWS = 4096
_REMEMBERED = 65_536


class Curriculum:
    """Chooses the next task from the rewards of the earlier ones.

    One `ask` and the `tell` of its group cost microseconds at a million rows: the rule is applied
    to the whole pool once per `refresh` draws. Opening a store that holds draws replays them.
    Use it from one thread; close it, or use it as a context manager.

    Raises:
        PoolError: no rows, malformed or duplicate ones, or a log of rows the pool does not have.
        ConfigError, StoreError, OwnerError: the sampler or the store cannot be opened.
    """

    def __init__(
        self,
        rows: Iterable[Row],
        config: CurriculumConfig | None = None,
        store: Store | str | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.config = config or CurriculumConfig()
        self._pool = Pool(rows)
        if not self._pool:
            raise PoolError(
                "the pool is empty; expected at least one row: check what rows() yields"
            )
        self._clock = clock
        self.draws = 0
        self._closed = False
        self._logged: deque[Draw] = deque()
        self._log: DrawLog
        self._feed: Feed
        self.store = store if isinstance(store, Store) else open_store(store or "memory://")
        self._in_memory = self.store.url.startswith("memory")
        self._reset()
        try:
            self._open(open_run(self.store, self.config, self._pool))
        except BaseException:
            self.store.close()
            raise

    # --- the loop ----------------------------------------------------------------------------
    @property
    def rows(self) -> Pool:
        """The pool, in order."""
        return self._pool

    def row(self, uid: str) -> Row:
        """The row with that uid; raises KeyError where there is none."""
        return self._pool[self._pool.index(uid)]

    @property
    def group_size(self) -> int | None:
        """Rollouts per draw, as configured or inferred; None while it is not known."""
        return self._grader.group_size.value

    def ask(self) -> Draw:
        """The next draw: one of the log while there are any, else the rule's choice, leased.

        Raises:
            OwnerError: another curriculum took the store over.
        """
        if self._logged:
            return self._replay()
        self._apply(self._feed.take(DRAIN_LIMIT))
        self._expire()
        row, propensity = self._choose()
        chosen = self._pool[row]
        number = self._next_number
        draw = Draw(number, chosen.uid, propensity, self._clock(), chosen.domain, chosen.level)
        self._log.append(draw)
        self._next_number += 1
        self._diversity.observe(int(self._availability.visits_N[row]))
        self._availability.take(row, draw.number)
        self._grader.open.open(draw.number, row, draw.time, leased=True)
        self.draws += 1
        self._warn_if_silent()
        return draw

    def tell(self, outcome: Outcome) -> None:
        """Feed one outcome back, once per rollout id.

        In memory it counts at once; in another store it is written there, durable when this
        returns, and counts as soon as it has been read back.

        Raises:
            RewardError: the status is none of ok, error, cancelled, or an ok reward is not finite.
        """
        check_outcome(outcome)
        if not self._in_memory:
            self.store.record([outcome])
        elif outcome.rollout_id not in self._told:
            self._told[outcome.rollout_id] = None
            if len(self._told) > _REMEMBERED:
                self._told.popitem(last=False)
            self._grader.outcome(outcome)

    def sync(self, timeout: float = 0.0) -> int:
        """Apply the outcomes that have arrived, and return how many; with a timeout, first wait
        (at most that many seconds) until all that is in the store now has arrived."""
        if timeout > 0.0:
            self._feed.wait(timeout)
        applied = 0
        while outcomes := self._feed.take(DRAIN_LIMIT):
            self._apply(outcomes)
            applied += len(outcomes)
        return applied

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows to the pool; raises `PoolError` as the constructor does."""
        added = self._pool.add(rows)
        self._append(added)
        self._grader.monitor.buckets = len(self._pool.buckets)

    def close(self) -> None:
        """Write what is unwritten and give the store up; idempotent."""
        if not self._closed:
            self._closed = True
            self._feed.close()
            self._log.close()
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what it knows -----------------------------------------------------------------------
    def metrics(self) -> dict[str, float]:
        """Counts and shares so far. `rho` is the share of groups with a gradient, over all and
        (`rho_recent`) over the last 512; read it beside `distinct_tasks` and `effective_tasks`."""
        grader, counts = self._grader, self._grader.counts
        rho = grader.living.rho
        return {
            "draws": self.draws,
            "replayed_draws": self._replayed,
            "groups": grader.living.groups,
            "rho": rho,
            "rho_recent": grader.living.rho_recent,
            "oversampling": 1.0 / rho if rho else 0.0,
            "success_mean": grader.success_sum / max(counts["ok"], 1),
            "distinct_tasks": self._diversity.distinct,
            "effective_tasks": self._diversity.effective,
            "in_flight": len(grader.open),
            "frozen": float(grader.monitor.frozen),
            "outages": grader.monitor.count,
            "forced_draws": self._forced,
            "deferred_draws": self._log.deferred,
            "outcomes": grader.number,
            "out_of_range": grader.scale.out_of_range,
            "not_finite": grader.scale.not_finite,
            **{name: counts[name] for name in (*STATUSES, *_COUNTS)},
            **self.sampler.metrics(),
        }

    def table(self) -> dict[str, NDArray[Any]]:
        """One array per column over the rows: uid, domain, level; mean, low and high (a central
        90% interval) of the pass rate; evidence (rollouts), visits, last_draw (-1: never)."""
        low_N, high_N = self.estimator.interval()
        return {
            "uid": np.array([row.uid for row in self._pool]),
            "domain": np.array([row.domain for row in self._pool]),
            "level": np.array([row.level for row in self._pool]),
            "mean": self.estimator.mean(),
            "low": low_N,
            "high": high_N,
            "evidence": self.estimator.evidence(),
            "visits": self._availability.visits_N.copy(),
            "last_draw": self._availability.last_draw_N.copy(),
        }

    def state_dict(self) -> dict[str, Any]:
        """Everything a new process needs to go on exactly: JSON values, and NumPy `arrays`."""
        waiting, cursor = self._feed.settle()
        self._apply(waiting)
        columns = {name: getattr(self.estimator, name) for name in self.estimator.COLUMNS}
        return {
            "version": VERSION,
            "draws": self.draws,
            "next_number": self._next_number,
            "run": self.run.id,
            "cursor": cursor,
            "estimator": self.config.estimator.type,
            "beliefs": self.estimator.state_dict(),
            "plan": [[self._pool[row].uid, p] for row, p in self._plan.queue],
            "sampler": self.sampler.state_dict(),
            "grader": self._grader.state_dict(),
            "diversity": self._diversity.state_dict(),
            "arrays": {
                "uid": self._pool.uids(),
                "visits": self._availability.visits_N.copy(),
                "last_draw": self._availability.last_draw_N.copy(),
                **{f"belief_{name}": values.copy() for name, values in columns.items()},
            },
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict`: rows are matched by uid, so the pool may have been reordered,
        grown or shrunk. Draws that the store logged after the state was taken are replayed.

        Raises:
            StateError: the state is of another version or of another estimator.
        """
        check_version(state)
        self._feed.close()
        self._reset()
        self._load_arrays(state)
        self.draws, self._next_number = state["draws"], state["next_number"]
        found = ((self._pool.find(uid), p) for uid, p in state["plan"])
        self._plan.queue = deque((row, p) for row, p in found if row is not None)
        self.sampler.load_state_dict(state["sampler"])
        self._grader.load_state_dict(state["grader"])
        self._diversity.load_state_dict(state["diversity"])
        for group in self._grader.open:
            if group.leased:
                self._availability.lease(group.row)
        self._logged = deque(self.store.draws(self._next_number))
        self._feed = Feed(self.store, self.store.reader(state["cursor"]))

    # --- inside ------------------------------------------------------------------------------
    def _reset(self) -> None:
        """Empty everything learned; the pool stays."""
        config = self.config
        self._availability = Availability(config.cooldown, config.max_reuse, config.novelty)
        self._plan, self._diversity = Plan(), Diversity()
        self.estimator, self.sampler = (
            build_estimator(config.estimator),
            build_sampler(config.sampler),
        )
        self._grader = Grader(
            config, self._pool, self.estimator, self.sampler, self._clock,
            lambda row: self._availability.give_back(row),
            lambda kind, data: self._log.event(kind, data),
        )  # fmt: skip
        self._append(self._pool)
        self._told: OrderedDict[str, None] = OrderedDict()
        self._replayed = self._forced = 0
        self._warned_forced = self._warned_silent = False

    def _append(self, rows: Pool | list[Row]) -> None:
        self.estimator.add(rows)
        self._availability.add(len(rows))
        self.sampler.add(rows)

    def _open(self, opened: Opened) -> None:
        """Learn what the store holds, then let outcomes and draws flow."""
        self.run = opened.run
        self._next_number = opened.run.first_draw
        self._log = DrawLog(self.store, self.run)
        self._grader.expected.update(draw.number for draw in opened.earlier)
        self._grader.expected.update(draw.number for draw in opened.logged)
        reader, discounts = self.store.reader(), segments(opened.discounts)
        boundary = next(discounts)
        while outcomes := reader.read():
            for outcome in outcomes:
                while outcome.draw >= boundary:
                    self.estimator.discount(self.config.warm_discount)
                    boundary = next(discounts)
                self._grader.outcome(outcome)
        while boundary <= self._next_number:
            self.estimator.discount(self.config.warm_discount)
            boundary = next(discounts)
        self._logged = deque(opened.logged)
        self._feed = Feed(self.store, reader)
        if not opened.logged:
            buckets = [[*bucket, count] for bucket, count in self._pool.buckets.items()]
            self._log.event("pool", {"size": len(self._pool), "buckets": buckets})

    def _apply(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self._grader.outcome(outcome)

    def _expire(self) -> None:
        config, oldest_time = self.config, -math.inf
        if config.lease_seconds is not None:
            oldest_time = self._clock() - config.lease_seconds
        lease_draws = config.lease_draws or LEASE_DRAWS
        self._grader.expire(self._next_number - lease_draws, oldest_time)

    def _replay(self) -> Draw:
        draw = self._logged.popleft()
        row = self._pool.index(draw.uid)
        self._diversity.observe(int(self._availability.visits_N[row]))
        self._availability.take(row, draw.number, lease=False)
        if self._grader.open.get(draw.number) is None:
            self._grader.expected.add(draw.number)
        self._availability.advance(draw.number + 1)
        self._next_number = draw.number + 1
        self.draws += 1
        self._replayed += 1
        return draw

    def _choose(self) -> tuple[int, float]:
        """The next available row and its propensity, by the plan or, where no row is available,
        the one that has been out longest."""
        self._availability.advance(self._next_number)
        chosen = self._plan.next(self._availability.available_N)
        if chosen is None:
            self._refill()
            chosen = self._plan.next(self._availability.available_N)
        return chosen or (self._force(), 1.0)

    def _refill(self) -> None:
        config, size = self.config, len(self._pool)
        key = np.array([config.seed, self._next_number], np.uint64)
        view = View(
            self.estimator,
            self._availability.available_N,
            self._availability.novelty_N,
            self._grader.group_size.assumed,
            np.random.Generator(np.random.Philox(key=key)),
            config.pick,
        )
        refresh = config.refresh or min(max(size // 256, 64), 4096)
        self._plan.refill(refresh, self.sampler, view, config.explore)

    def _force(self) -> int:
        self._forced += 1
        if not self._warned_forced:
            self._warned_forced = True
            logger.warning(
                "none of the %d rows is available (leased, cooling or used up), so the one out "
                "longest is drawn again; enlarge the pool, or lower cooldown or the number of "
                "groups in flight", len(self._pool),
            )  # fmt: skip
        return self._availability.longest_out()

    def _warn_if_silent(self) -> None:
        live = self.draws - self._replayed
        if live >= SILENT_DRAWS and not self._warned_silent and not self._grader.number:
            self._warned_silent = True
            logger.warning(
                "%d draws, no outcome: do trainer and workers see the same store? (here: %s)",
                live, self.store.url,
            )  # fmt: skip

    def _load_arrays(self, state: dict[str, Any]) -> None:
        if state["estimator"] != self.config.estimator.type:
            raise StateError(
                f"the state was saved with estimator {state['estimator']!r}, the curriculum has "
                f"{self.config.estimator.type!r}; expected the same: set curriculum.estimator.type"
            )
        arrays: Mapping[str, NDArray[Any]] = state["arrays"]
        saved, current = match_rows(arrays["uid"], self._pool.uids())
        for name in self.estimator.COLUMNS:
            getattr(self.estimator, name)[current] = arrays[f"belief_{name}"][saved]
        visits_N = np.zeros(len(self._pool), np.int64)
        last_draw_N = np.full(len(self._pool), NEVER, np.int64)
        visits_N[current], last_draw_N[current] = (
            arrays["visits"][saved],
            arrays["last_draw"][saved],
        )
        self.estimator.load_state_dict(state["beliefs"])
        self._availability.restore(visits_N, last_draw_N, state["next_number"])


_COUNTS = ("expired", "late", "unknown", "suspended", "void_groups")
