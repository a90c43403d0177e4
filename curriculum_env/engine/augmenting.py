"""New tasks made from those at the policy's frontier: asked for when a group is graded, taken into
the pool when they are there. No draw waits for either.

A loop of one's own can play the service that makes them:

    curriculum = Curriculum(rows, {"augment": {"enabled": True}}, "memory://")
    ...                                     # ask, tell: each living group asks for a variant
    queue = curriculum.store.queue
    for item in queue.claim("me", limit=8, seconds=60.0):
        row = variant_of(item.source, item.kind)        # yours; None where there is none
        if row is None:
            queue.discard(item, "unsolvable")
        else:
            queue.accept(item, row)                     # in the pool before the next draw
"""

from __future__ import annotations

import logging
import math
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.arrivals import Arrivals
from curriculum_env.engine.growth import Grown
from curriculum_env.engine.plan import Planned
from curriculum_env.engine.unserved import Unserved
from curriculum_env.engine.watch import LabelWatch
from curriculum_env.errors import PoolError
from curriculum_env.estimators.families import Families
from curriculum_env.pool import Pool
from curriculum_env.pool.pool import check_row
from curriculum_env.store import Store
from curriculum_env.store.queue import RECHECK, Asked, Augmentation
from curriculum_env.store.rows import plain
from curriculum_env.types import BoolArray, Group, Row

logger = logging.getLogger(__name__)

Admit: TypeAlias = Callable[[Row], str]
"""Why a new row is not let in, one word for the counts; empty where it is."""

QUARANTINE = "quarantine"
"""The kind of the events that name rows which are drawn no more."""

_WINDOW = 128
_AT_ONCE = 16


class Augmenting:
    """Decides which rows get variants, and which variants get into the pool and into the draws.

    `mean` gives the pass rate a row is believed to have, `retire` takes a row out of the draws for
    good, `log` writes an event. `live` is False while outcomes of an earlier process are learned
    again: nothing is asked for then.
    """

    def __init__(
        self,
        config: CurriculumConfig,
        pool: Pool,
        store: Store,
        mean: Callable[[int], float],
        retire: Callable[[int], None],
        log: Callable[[str, Mapping[str, Any]], None],
        admit: Admit | None = None,
    ) -> None:
        self.config = config.augment
        self.arrivals = Arrivals(store)
        self.live = False
        elsewhere = self.config.service == "process"
        self._unserved = Unserved(store, self.arrivals, elsewhere=elsewhere)
        self._pool, self._store = pool, store
        self._mean, self._retire, self._log, self._admit = mean, retire, log, admit
        self._families = Families()
        self._made: list[int] = []
        self._watch = LabelWatch(self.config.watch)
        self._asked: Counter[str] = Counter()
        self._rechecks: dict[str, int] = {}
        self._ids: dict[str, int] = {}
        self._quarantined: dict[int, str] = {}
        self._recent: deque[bool] = deque(maxlen=_WINDOW - 1)
        self._variant_draws = 0

    @property
    def enabled(self) -> bool:
        return self.config.enabled

    # --- opening -----------------------------------------------------------------------------
    def open(self) -> None:
        """Learn what the store holds: what was asked for, what is in the pool, what was put away.
        To be called when the pool is whole, before outcomes are learned."""
        for event in self._store.events(QUARANTINE):
            row = self._pool.find(event["uid"])
            if row is not None:
                self._put_away(row, event["reason"])
        if not self.enabled:
            return
        accepted = []
        for item in self._store.queue.items():
            self._remember(item)
            if item.state == "accepted":
                accepted.append(item)
        for item in accepted:
            self._recognise(item)

    def _remember(self, item: Augmentation) -> None:
        if item.kind == RECHECK:
            self._rechecks[item.source.uid] = item.asked.draw
        else:
            self._asked[item.source.uid] += 1
        if item.child is not None and item.state == "inserted":
            if self._pool.find(item.child.uid) is None:
                self.arrivals.restore([item])
            else:
                self._ids[item.child.uid] = item.id

    def _recognise(self, item: Augmentation) -> None:
        """The row of an accepted item may be in the pool: its process died before it said so."""
        assert item.child is not None
        row = self._pool.find(item.child.uid)
        if row is not None and self._pool[row].parent == self._parent(item):
            self._ids.setdefault(item.child.uid, item.id)

    @staticmethod
    def _parent(item: Augmentation) -> str:
        return item.source.parent if item.kind == RECHECK else item.source.uid

    def poll(self) -> None:
        """What the feed's thread does for it; raises `StoreError`."""
        if self.enabled:
            self.arrivals.poll()

    def add(self, rows: Sequence[Row] | Pool) -> None:
        """These rows joined the pool."""
        if self.enabled:
            first = len(self._families)
            self._families.add(rows)
            self._made.extend(place for place, row in enumerate(rows, first) if row.parent)

    # --- after a group -----------------------------------------------------------------------
    def graded(self, group: Group, alive: bool) -> None:
        """A group was graded: perhaps its row becomes a parent, or its answer is doubted."""
        if not self.enabled:
            return
        row = self._pool[group.row]
        if self._families.parent(group.row) >= 0:
            self._watched(group, row)
        if not self.live:
            return
        if self._parental(group, row, alive) and self._room(group.row, row) > 0:
            self._ask(group, row)
        self._unserved.graded(self._room_in_all())

    def _parental(self, group: Group, row: Row, alive: bool) -> bool:
        """Whether the group makes its row a parent."""
        if alive or self.config.parents == "sampled":
            return True
        failed = self.config.parents == "frontier" and not any(group.success_G)
        return failed and not self._asked[row.uid]

    def _room(self, place: int, row: Row) -> int:
        """How many more variants of a row may be asked for."""
        config, families = self.config, self._families
        if place in self._quarantined or families.generation(place) >= config.generations:
            return 0
        return min(
            config.fan_out - self._asked[row.uid],
            config.family + 1 - families.members(families.root(place)),
            self._room_in_all(),
        )

    def _room_in_all(self) -> int:
        """How many more variants may be asked for, of whatever row."""
        in_work = self.arrivals.in_work
        return min(self.config.backlog, self.limit - self.variants) - in_work

    def _ask(self, group: Group, row: Row) -> None:
        config = self.config
        count = min(config.per_parent, self._room(group.row, row))
        generation, belief = self._families.generation(group.row) + 1, self._mean(group.row)
        requests = []
        for number in range(count):
            kind = config.kinds[(group.draw * config.per_parent + number) % len(config.kinds)]
            key = f"{group.draw}/{kind}/{number}"
            requests.append(Asked(key, kind, group.draw, row, generation, belief))
        self._asked[row.uid] += count
        self.arrivals.ask(requests)

    # --- doubts ------------------------------------------------------------------------------
    def _watched(self, group: Group, row: Row) -> None:
        place, watch = group.row, self._watch
        watch.observe(group)
        if self._rechecks.get(row.uid) == group.draw:
            watch.doubt(place)
        if not self.live or place in self._quarantined:
            return
        parent = self._mean(self._families.parent(place))
        if watch.wrong(place):
            self.quarantine(place, "never_solved")
        elif row.uid not in self._rechecks and watch.doubtful(place, parent):
            watch.doubt(place)
            self._rechecks[row.uid] = group.draw
            generation = self._families.generation(place)
            key = f"{RECHECK}/{row.uid}"
            self.arrivals.ask([Asked(key, RECHECK, group.draw, row, generation, parent)])

    def outage(self) -> None:
        """Rewards are not to be believed, and were not for a while: no variant is blamed for it."""
        self._watch.forgive()

    def quarantine(self, place: int, reason: str) -> None:
        """Draw a variant no more."""
        uid = self._pool[place].uid
        self._put_away(place, reason)
        self._log(QUARANTINE, {"uid": uid, "reason": reason})
        ids = [self._ids[uid]] if uid in self._ids else []
        self.arrivals.write(lambda queue: queue.quarantine(ids, reason))

    def _put_away(self, place: int, reason: str) -> None:
        self._quarantined[place] = reason
        self._retire(place)

    # --- into the pool -----------------------------------------------------------------------
    @property
    def variants(self) -> int:
        """Variants in the pool that may be drawn."""
        return self._families.variants - len(self._quarantined)

    @property
    def limit(self) -> int:
        """Variants that the pool may hold."""
        share, seeds = self.config.pool_share, len(self._pool) - self._families.variants
        allowed = math.floor(share / (1.0 - share) * seeds + 1e-9)
        return allowed if self.config.capacity is None else min(allowed, self.config.capacity)

    def grow(self) -> Grown | None:
        """The accepted rows that are let into the pool now, if any."""
        if not self.enabled:
            return None
        rows: list[Row] = []
        named: list[tuple[int, str]] = []
        waiting: list[Augmentation] = []
        for item in self.arrivals.take(_AT_ONCE):
            if item.kind == RECHECK:
                self._replace(item)
            if self.variants + len(rows) >= self.limit:
                waiting.append(item)
                continue
            row, reason = self._entering(item, {row.uid for row in rows})
            if row is not None:
                rows.append(row)
                named.append((item.id, row.uid))
            elif reason:
                self._refuse(item, reason)
            else:
                self._inserted([item.id])
        self.arrivals.put_back(waiting)
        if not rows:
            return None
        self._ids.update((uid, number) for number, uid in named)
        ids = [number for number, _ in named]
        self._inserted(ids)
        return Grown(rows, {"rows": [plain(row) for row in rows], "augmentations": ids})

    def _inserted(self, ids: list[int]) -> None:
        self.arrivals.write(lambda queue: queue.insert(ids))

    def _refuse(self, item: Augmentation, reason: str) -> None:
        self.arrivals.write(lambda queue: queue.refuse([item.id], reason))

    def _entering(self, item: Augmentation, fresh: set[str]) -> tuple[Row | None, str]:
        """The row that an accepted item brings, or why it brings none: no reason where the pool
        has it already."""
        try:
            row = self._entry(item)
        except PoolError as error:
            logger.warning("a new task is not let into the pool: %s", error)
            return None, "no_task"
        if self._pool.find(row.uid) is not None or row.uid in fresh:
            return None, "" if self._ids.get(row.uid) == item.id else "duplicate"
        parent = self._pool.find(row.parent)
        if parent is None:
            return None, "orphan"
        root = self._families.root(parent)
        if self._families.members(root) > self.config.family:
            return None, "family"
        if self._families.generation(parent) >= self.config.generations:
            return None, "generation"
        reason = self._admit(row) if self._admit is not None else ""
        return (None, reason) if reason else (row, "")

    def _replace(self, item: Augmentation) -> None:
        """The answer of a variant is another one: the row it had is drawn no more."""
        place = self._pool.find(item.source.uid)
        if place is not None and place not in self._quarantined:
            self.quarantine(place, "answer_changed")

    def _entry(self, item: Augmentation) -> Row:
        """The row as it enters: believed of it is nothing, or what its parent tells. Raises
        `PoolError` where it is none that a pool takes."""
        assert item.child is not None
        parent = self._parent(item)
        row = replace(item.child, parent=parent, prior_passes=0.0, prior_attempts=0.0)
        check_row(row, item.id)
        place = self._pool.find(parent)
        if self.config.entry == "cold" or place is None:
            return row
        estimate = min(self._mean(place) / row.factor, 1.0)
        weight = self.config.entry_rollouts
        return replace(row, prior_passes=estimate * weight, prior_attempts=weight)

    # --- into the draws ----------------------------------------------------------------------
    def allows(self, row: int) -> bool:
        """Whether the next draw may be of that row: variants have their share."""
        if not self.enabled or self._families.parent(row) < 0:
            return True
        return sum(self._recent) + 1 <= self.config.draw_share * _WINDOW

    def others(self, available_N: BoolArray) -> BoolArray | None:
        """The available rows that are no variants; None where there are no variants."""
        rows = [row for row in self._made if self._families.parent(row) >= 0]
        if not rows:
            return None
        others_N = available_N.copy()
        others_N[rows] = False
        return others_N if others_N.any() else available_N

    def thin(self, queue: deque[Planned]) -> tuple[deque[Planned], list[int]]:
        """A plan with at most `relatives` rows of a family and variants in their share, and the
        rows that it leaves out."""
        if not self.enabled or not self._families.variants:
            return queue, []
        families, share = self._families, self.config.draw_share
        variants = [families.parent(planned.row) >= 0 for planned in queue]
        seeds = len(variants) - sum(variants)
        quota = len(variants) if share == 1.0 else 1 + math.floor(share / (1.0 - share) * seeds)
        kept, left = deque[Planned](), list[int]()
        seen: Counter[int] = Counter()
        for planned, variant in zip(queue, variants, strict=True):
            root = families.root(planned.row)
            if seen[root] < self.config.relatives and (quota > 0 or not variant):
                kept.append(planned)
                seen[root] += 1
                quota -= variant
            else:
                left.append(planned.row)
        return kept, left

    def took(self, row: int) -> None:
        """That row is drawn."""
        if self.enabled:
            variant = self._families.parent(row) >= 0
            self._recent.append(variant)
            self._variant_draws += variant

    # --- what it knows -----------------------------------------------------------------------
    def metrics(self) -> dict[str, float]:
        """Rows and draws of variants, those put away, and those being made."""
        if not self.enabled:
            return {}
        return {
            "variants": self.variants,
            "variant_draws": self._variant_draws,
            "quarantined": len(self._quarantined),
            "augmentations_in_work": self.arrivals.in_work,
        }

    def state_dict(self) -> dict[str, Any]:
        """What is not in the pool, as JSON values."""
        return {
            "recent": list(map(int, self._recent)),
            "variant_draws": self._variant_draws,
            "asked": dict(self._asked),
            "rechecks": dict(self._rechecks),
            "watch": self._watch.state_dict(lambda row: self._pool[row].uid),
            "quarantined": [[self._pool[row].uid, why] for row, why in self._quarantined.items()],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from `state_dict`, after `open`: what the store tells beyond it stays."""
        self._recent.extend(map(bool, state["recent"]))
        self._variant_draws = state["variant_draws"]
        for uid, count in state["asked"].items():
            self._asked[uid] = max(self._asked[uid], count)
        self._rechecks = {**state["rechecks"], **self._rechecks}
        self._watch.load_state_dict(state["watch"], self._pool.find)
        for uid, reason in state["quarantined"]:
            row = self._pool.find(uid)
            if row is not None and row not in self._quarantined:
                self._put_away(row, reason)
                self._log(QUARANTINE, {"uid": uid, "reason": reason})
