"""Ask for a row, tell what its rollouts earned."""

from __future__ import annotations

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.alarms import Alarms
from curriculum_env.engine.augmenting import Admit, Augmenting
from curriculum_env.engine.availability import Availability
from curriculum_env.engine.check import check_outcome
from curriculum_env.engine.choosing import Chooser
from curriculum_env.engine.draw_log import DrawLog
from curriculum_env.engine.feed import Feed
from curriculum_env.engine.followups import Followups
from curriculum_env.engine.grader import Grader
from curriculum_env.engine.growth import EVENT, Generator, Grown, Growth
from curriculum_env.engine.plan import Plan, Planned
from curriculum_env.engine.resume import Opened, check_logged, open_run, pool_event, relearn
from curriculum_env.engine.state import VERSION, arrays_of, check_state, load_arrays
from curriculum_env.engine.table import table
from curriculum_env.errors import CurriculumError, PoolError, RewardError, StateError, StoreError
from curriculum_env.estimators import build_estimator
from curriculum_env.metrics import Diversity, Frame, PoolPassRate
from curriculum_env.pool import Pool
from curriculum_env.samplers import build_sampler
from curriculum_env.store import OutcomeReader, Store, open_store
from curriculum_env.types import Draw, Group, Outcome, Row

DRAIN_LIMIT = 512
PROBE = "probe"
_REMEMBERED = 65_536


class Curriculum:
    """Chooses the next task from the rewards of the earlier ones.

    One `ask` and the `tell` of its group cost microseconds at a million rows: the rule is applied
    to the whole pool once per `refresh` draws. Opening a store that holds draws replays them. A
    `generator` makes new rows on the way, as `config.generate` says. `admit` has the last word on
    rows made from others (`config.augment`): why one is kept out, empty where it is let in.
    Use it from one thread; close it, or use it as a context manager.

    Raises:
        PoolError: no rows, malformed or duplicate ones, or a log of rows the pool does not have.
        ConfigError, StoreError, OwnerError: the sampler or the store cannot be opened.
    """

    def __init__(
        self,
        rows: Iterable[Row],
        config: CurriculumConfig | Mapping[str, Any] | None = None,
        store: Store | str | None = None,
        *,
        generator: Generator | None = None,
        admit: Admit | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.config = CurriculumConfig.model_validate(config or {})
        self._pool = Pool(rows)
        if not self._pool:
            raise PoolError("the pool is empty; expected a row: check what rows() yields")
        self._clock, self._growth, self._admit = clock, Growth(generator, self.config), admit
        self.draws = 0
        self.at_close: list[Callable[[], None]] = []
        self._closed = False
        self._logged: deque[Draw] = deque()
        self._log: DrawLog
        self._feed: Feed
        self.store = store if isinstance(store, Store) else open_store(store or "memory://")
        self._in_memory = self.store.url.startswith("memory")
        try:
            opened = open_run(self.store, self.config, self._pool, self._growth)
            self._reset()
            self._open(opened)
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
        self._join(self._augmenting.grow())
        self._grader.expire(self._next_number)
        self._availability.advance(self._next_number)
        self._followups.add(self.sampler.followups())
        followup = self._followups.next(self._availability.leased_N)
        size = self._grader.group_size.assumed
        planned = followup or self._chooser.choose(self._next_number, self.draws, size)
        draw = self._lease(planned)
        self._alarms.silence(self._grader.number, self.store.url)
        return draw

    def tell(self, outcome: Outcome) -> None:
        """Feed one outcome back, once per rollout id.

        In memory it counts at once; in another store it is written there, durable when this
        returns, and counts as soon as it has been read back.

        Raises:
            RewardError: the status is none of ok, error, cancelled, an ok reward is not finite, or
                the draw was never made.
            StoreError: the curriculum is closed.
        """
        if self._closed:
            raise StoreError("the curriculum is closed: tell it all outcomes before close()")
        reward = outcome.reward
        plain = type(reward) is float and outcome.status == "ok" and math.isfinite(reward)
        if not plain or not 0 <= outcome.draw < self._next_number:
            check_outcome(outcome, self._next_number)
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

    def tell_heldout(self, accuracy: float) -> None:
        """Tell the rule how the policy fares on the held-out split; for rules that learn from it.

        Raises:
            RewardError: the accuracy is not a number in [0, 1].
        """
        if not 0.0 <= accuracy <= 1.0:
            raise RewardError(f"the held-out accuracy is {accuracy}; expected a number in [0, 1]")
        self.sampler.heldout(accuracy)
        self._log.event("heldout", {"accuracy": accuracy, "draw": self._next_number})

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows to the pool; raises `PoolError` as the constructor does."""
        self._append(self._pool.add(rows))
        self._grader.monitor.buckets = len(self._pool.buckets)

    def close(self) -> None:
        """Write what is unwritten and give the store up; idempotent."""
        if not self._closed:
            self._closed = True
            for stop in self.at_close:
                stop()
            self._growth.close()
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
        return {
            "draws": self.draws,
            "replayed_draws": self._replayed,
            "distinct_tasks": self._diversity.distinct,
            "effective_tasks": self._diversity.effective,
            "forced_draws": self._alarms.forced,
            "deferred_draws": self._log.deferred,
            **self._grader.metrics(),
            **self._growth.metrics(),
            **self._augmenting.metrics(),
            **self._pass_rate.metrics(),
            **self.sampler.metrics(),
        }

    def table(self) -> dict[str, NDArray[Any]]:
        """One array per column over the rows: uid, domain, level; mean, low and high (a central
        90% interval) of the pass rate; evidence (rollouts), visits, last_draw (-1: never)."""
        return table(self._pool, self.estimator, self._availability)

    def state_dict(self) -> dict[str, Any]:
        """Everything a new process needs to go on exactly: JSON values, and NumPy `arrays`."""
        waiting, cursor = self._feed.settle()
        self._apply(waiting)
        return {
            "version": VERSION,
            "draws": self.draws,
            "next_number": self._next_number,
            "store": self.store.identity,
            "cursor": cursor,
            "estimator": self.config.estimator.type,
            "rule": self.config.sampler.type,
            "beliefs": self.estimator.state_dict(),
            "plan": self._plan.state_dict(lambda row: self._pool[row].uid),
            "followups": self._followups.state_dict(lambda row: self._pool[row].uid),
            "sampler": self.sampler.state_dict(),
            "grader": self._grader.state_dict(),
            "diversity": self._diversity.state_dict(),
            "growth": self._growth.state_dict(self._pool),
            "pass_rate": self._pass_rate.state_dict(),
            "augmenting": self._augmenting.state_dict(),
            "arrays": arrays_of(self._pool, self.estimator, self._availability, self._pass_rate),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict`: exactly with the rows in the same order, with what was learned
        of each (by uid) in any other pool. What the store logged after the state is replayed.

        Raises:
            StateError: the state is of another version, of another estimator or rule, or damaged;
                the curriculum is then closed, for half a state is none.
            PoolError: a draw to replay is of a row that the pool no longer has.
        """
        check_state(state, self.config)
        try:
            self._load(state)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            self.close()
            if isinstance(error, CurriculumError):
                raise
            raise StateError(
                f"the curriculum state is damaged ({type(error).__name__}: {error}); expected what "
                "state_dict returned: load another checkpoint, or start without a state"
            ) from error

    def _load(self, state: dict[str, Any]) -> None:
        self._feed.close()
        for unknown in self._growth.load_state_dict(state["growth"], self._pool):
            self._log.event(EVENT, unknown)
        self._reset()
        self._augmenting.open()
        load_arrays(state, self._pool, self.estimator, self._availability, self._pass_rate)
        self.draws, self._next_number = state["draws"], state["next_number"]
        self._plan.load_state_dict(state["plan"], self._pool.find)
        self._followups.load_state_dict(state["followups"], self._pool.find)
        self.sampler.load_state_dict(state["sampler"])
        self._grader.load_state_dict(state["grader"])
        self._diversity.load_state_dict(state["diversity"])
        self._pass_rate.load_state_dict(state["pass_rate"])
        self._augmenting.load_state_dict(state["augmenting"])
        for group in self._grader.open:
            if group.leased:
                self._availability.lease(group.row)
        logged = list(self.store.draws(self._next_number))
        cursor, same = state["cursor"], state["store"] == self.store.identity
        if not same and logged:
            self._next_number = logged[-1].number + 1
        check_logged(logged, self._pool, self.store)
        self._remember(logged if same else [])
        if same:
            self._pass_rate.restore(self.store.events(PROBE), self._next_number)
        self._flow(self.store.reader(cursor if same else None))

    # --- inside ------------------------------------------------------------------------------
    def _reset(self) -> None:
        """Empty everything learned; the pool stays."""
        config = self.config
        self._availability = Availability(config)
        self._plan, self._followups, self._diversity = Plan(), Followups(), Diversity()
        self.estimator = build_estimator(config.estimator)
        self.sampler = build_sampler(config.sampler)
        self._grader = Grader(
            config, self._pool, self.estimator, self.sampler, self._clock,
            lambda row: self._availability.give_back(row),
            lambda kind, data: self._log.event(kind, data),
            self._learned, lambda row: self._pass_rate.latest_N.item(row),
            lambda: self._augmenting.outage(),
        )  # fmt: skip
        self._pass_rate = PoolPassRate()
        self._augmenting = Augmenting(
            config, self._pool, self.store, self._mean,
            lambda row: self._availability.retire(row),
            lambda kind, data: self._log.event(kind, data), self._admit,
        )  # fmt: skip
        self._append(self._pool)
        self._told: OrderedDict[str, None] = OrderedDict()
        self._alarms, self._replayed = Alarms(), 0
        self._chooser = Chooser(
            config, self._pool, self.estimator, self.sampler, self._plan, self._availability,
            self._pass_rate, self._growth, self._augmenting, self._alarms, self._join,
        )  # fmt: skip

    def _learned(self, group: Group, alive: bool) -> None:
        self._growth.signals.observe(self._pool[group.row].bucket, alive)
        self._pass_rate.observe(group.draw, group.row, group.success_G)
        self._augmenting.graded(group, alive)

    def _mean(self, row: int) -> float:
        return float(self.estimator.mean(np.array([row]))[0])

    def _append(self, rows: Pool | list[Row]) -> None:
        self.estimator.add(rows)
        self._availability.add(len(rows))
        self._pass_rate.add(len(rows))
        self.sampler.add(rows)
        self._augmenting.add(rows)

    def _open(self, opened: Opened) -> None:
        """Learn what the store holds, then let outcomes and draws flow."""
        self.run = opened.run
        self._next_number = opened.run.first_draw
        self._log = DrawLog(self.store, self.run)
        self._remember(opened.earlier)
        self._remember(opened.logged)
        self._pass_rate.restore(self.store.events(PROBE))
        self._augmenting.open()
        reader = self.store.reader()
        with self._grader.relearning(self.store.events("outage")):
            relearn(reader, opened, self._grader, self.config.warm_discount)
        for event in self.store.events("heldout"):
            self.sampler.heldout(event["accuracy"])
        self._flow(reader)
        if not opened.logged:
            self._log.event("pool", pool_event(self._pool))

    def _flow(self, reader: OutcomeReader) -> None:
        """From here on outcomes and made tasks come in by themselves."""
        self._augmenting.live = True
        self._feed = Feed(self.store, reader, self._augmenting.poll)

    def _remember(self, logged: list[Draw]) -> None:
        """These draws were made by an earlier process; the last such batch is to be replayed."""
        self._grader.expect(logged)
        self._followups.drew(logged)
        self._logged = deque(logged)

    def _apply(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            self._grader.outcome(outcome)

    def _replay(self) -> Draw:
        draw = self._logged.popleft()
        row = self._pool.index(draw.uid)
        self._took(draw, row, lease=False)
        if self._grader.open.get(draw.number) is None:
            self._grader.expect([draw])
        self._availability.advance(draw.number + 1)
        self._replayed += 1
        return draw

    def _lease(self, planned: Planned) -> Draw:
        """Log the draw, then lease its row."""
        index, propensity, rollouts, continues, frame = planned
        row, now = self._pool[index], self._clock()
        number = max(self._next_number, self._grader.highest + 1)
        draw = Draw(number, row.uid, propensity, now, row.domain, row.level, rollouts, continues)
        if frame is not None:
            self._log.event(PROBE, self._pass_rate.expect(number, Frame(*frame)))
        self._log.append(draw)
        self._took(draw, index, lease=True)
        self._grader.lease(draw, index)
        return draw

    def _took(self, draw: Draw, row: int, *, lease: bool) -> None:
        self._diversity.observe(int(self._availability.visits_N[row]))
        self._availability.take(row, draw.number, lease=lease)
        self._followups.drew([draw])
        self._augmenting.took(row)
        self._next_number = draw.number + 1
        self.draws += 1

    def _join(self, grown: Grown | None) -> None:
        """Take grown rows into the pool, and log them for a resume."""
        if grown is not None:
            self.add(grown.rows)
            self._growth.keep(grown.rows)
            self._log.event(EVENT, grown.event)
