"""Outcomes become groups, and groups become beliefs, unless an outage forbids it."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.group_size import VOTING, GroupSize
from curriculum_env.engine.learner import Learner
from curriculum_env.engine.open_groups import OpenGroup, OpenGroups
from curriculum_env.engine.outage import (
    Before,
    GradedGroup,
    OutageBegan,
    OutageEnded,
    OutageEvent,
    OutageMonitor,
)
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.estimators import Estimator
from curriculum_env.gates import build_gate
from curriculum_env.metrics import Living
from curriculum_env.pool import Pool
from curriculum_env.samplers import Sampler
from curriculum_env.types import STATUSES, Draw, Group, Outcome

logger = logging.getLogger(__name__)

LEASE_DRAWS = 4096
_COUNTS = ("expired", "late", "unknown", "suspended", "void_groups")

LogEvent = Callable[[str, Mapping[str, Any]], None]
Observe = Callable[[Group, bool], None]


class Grader:
    """Collects the rollouts of each open draw; the last one closes the group, teaches its belief
    and releases the row. `counts` tallies outcomes by status, and what went wrong; `expected` are
    logged draws of an earlier process whose rollouts may still come, with how many were asked for;
    `number` outcomes have come so far; `highest` is the highest draw number among them."""

    def __init__(
        self,
        config: CurriculumConfig,
        pool: Pool,
        estimator: Estimator,
        sampler: Sampler,
        clock: Callable[[], float],
        release: Callable[[int], None],
        log_event: LogEvent,
        observe: Observe,
        latest: Callable[[int], float],
        outage_began: Callable[[], None],
    ) -> None:
        self._config, self._pool, self._sampler = config, pool, sampler
        self._clock, self._release, self._log_event = clock, release, log_event
        self._observe, self._latest, self._outage_began = observe, latest, outage_began
        self._gate = build_gate(config.gate)
        self.scale = RewardScale(config)
        self.learner = Learner(estimator, config.batch_groups, config.outage.memory)
        self.monitor = OutageMonitor(config.outage, len(pool.buckets))
        self.group_size = GroupSize(config.group_size)
        self.living = Living()
        self.open = OpenGroups()
        self.expected: dict[int, int] = {}
        self.counts: Counter[str] = Counter()
        self.success_sum = 0.0
        self.number = 0
        self.highest = -1
        self._relearning = False
        self._newest: Mapping[str, Any] | None = None

    def outcome(self, outcome: Outcome) -> None:
        """Take in one outcome."""
        row = self._pool.find(outcome.uid)
        if row is None:
            self.counts["unknown"] += 1
            return
        self.number += 1
        if outcome.draw > self.highest:
            self.highest = outcome.draw
        status, success, invalid = outcome.status, None, False
        self.counts[status] += 1
        if status == "ok" and outcome.reward is not None:
            success = self.scale.success(outcome.reward)
            self.success_sum += success or 0.0
            invalid = self.scale.invalid(outcome.reward)
        event = self.monitor.outcome(self.number, row, success, failed=status == "error")
        if event is not None:
            self._handle(event)
        if success is not None and self.monitor.reason is not None:
            self.counts["suspended"] += 1
            success = None
        self._assign(outcome.draw, row, success, invalid)

    @contextmanager
    def relearning(self, logged: Sequence[Mapping[str, Any]]) -> Iterator[None]:
        """In the block the outcomes of earlier processes are taken in again. Their outages are
        told already, as `logged`, the store's events; after it the log is brought to what they
        show, where the earlier process ended before it could."""
        self._relearning = True
        try:
            yield
        finally:
            self._relearning = False
        frozen = self.monitor.frozen
        if frozen:
            logger.warning("the outage lasts: beliefs are frozen until rollouts score again")
        if frozen != (bool(logged) and logged[-1]["phase"] == "began"):
            ended = {"phase": "ended", "reason": "errors", "rollouts": 0, "real": False}
            self._log_event("outage", self._newest or ended)

    def expect(self, draws: Sequence[Draw]) -> None:
        """These draws are in the log: their rollouts may come, though none is leased."""
        self.expected.update((draw.number, draw.rollouts) for draw in draws)

    def lease(self, draw: Draw, row: int) -> None:
        """This draw was made now."""
        self.open.open(draw.number, row, draw.time, leased=True, rollouts=draw.rollouts)

    def expire(self, next_number: int) -> None:
        """Give up the open groups whose lease has run out when `next_number` is the next draw; what
        they have counts."""
        seconds = self._config.lease_seconds
        before_time = -math.inf if seconds is None else self._clock() - seconds
        before_draw = next_number - (self._config.lease_draws or LEASE_DRAWS)
        while (oldest := self.open.oldest()) is not None:
            if oldest.draw >= before_draw and oldest.time >= before_time:
                return
            self.counts["expired"] += oldest.leased
            self._close(oldest)

    def _assign(self, draw: int, row: int, success: float | None, invalid: bool) -> None:
        group = self.open.get(draw)
        if group is not None and group.row != row:
            group = None
        elif group is None and draw in self.expected:
            rollouts = self.expected.pop(draw)
            group = self.open.open(draw, row, self._clock(), leased=False, rollouts=rollouts)
        if group is None:
            self.counts["late"] += 1
            if self.group_size.counting(draw):
                self.group_size.observe(draw)
            if success is not None:
                self.learner.teach(row, [(self.number, success)])
            return
        if success is None:
            group.voided += 1
        else:
            group.scores.append((self.number, success))
            if invalid:
                group.invalid.append(self.number)
        size = group.rollouts or self.group_size.value
        if size is not None and len(group.scores) + group.voided >= size:
            self._close(group)
        # A draw of an earlier process may be played twice: it votes only where nothing else does.
        unknown = self.group_size.value is None
        votes = unknown or (draw % VOTING == 0 and group.leased)
        if votes and not group.rollouts and self.group_size.observe(draw):
            self._close_complete()

    def _close_complete(self) -> None:
        size = self.group_size.value or 0
        for group in [group for group in self.open if group.size >= (group.rollouts or size)]:
            self._close(group)

    def _close(self, group: OpenGroup) -> None:
        self.open.close(group.draw)
        if group.leased:
            self._release(group.row)
        if not group.scores:
            self.counts["void_groups"] += 1
            return
        success_G = tuple(success for _, success in group.scores)
        graded = self._graded(group, success_G)
        alive = self._gate.admit(success_G)
        self.living.observe(alive)
        self.learner.teach(group.row, group.scores)
        closed = Group(group.draw, group.row, success_G, len(group.invalid))
        self._sampler.observe(closed)
        self._observe(closed, alive)
        began = self.monitor.group(graded)
        if began is not None:
            self._handle(began)

    def _graded(self, group: OpenGroup, success_G: tuple[float, ...]) -> GradedGroup:
        chance = None
        if not any(success_G):
            mean = float(self.learner.estimator.mean(np.array([group.row]))[0])
            chance = (1.0 - mean) ** len(success_G)
        bucket = self._pool[group.row].bucket
        latest = self._latest(group.row)
        before: Before = "none" if math.isnan(latest) else "scored" if latest else "failed"
        return GradedGroup(group.row, bucket, group.scores[0][0], before, chance)

    def _handle(self, event: OutageEvent) -> None:
        if isinstance(event, OutageBegan):
            self._begin_outage(event)
        else:
            self._end_outage(event)

    def _begin_outage(self, event: OutageBegan) -> None:
        lessons = self.learner.unlearn(event.since)
        self._outage_began()
        for group in self.open:
            group.void_since(event.since)
        what = "most rollouts fail with errors" if event.reason == "errors" else "no rollout scores"
        data = {"reason": event.reason, "since_outcome": event.since, "groups_undone": lessons}
        self._tell(
            {"phase": "began", **data},
            f"outage: {what} since outcome {event.since}; beliefs are frozen and {lessons} groups "
            "taken back (check the policy's server and the rewards)",
        )

    def _end_outage(self, event: OutageEnded) -> None:
        data = {"reason": event.reason, "rollouts": event.rollouts, "real": event.real}
        over = f"the outage is over after {event.rollouts} rollouts"
        real = (
            f"the outage has lasted {event.rollouts} rollouts and is now taken for the policy's "
            "own failure; beliefs learn again"
        )
        self._tell({"phase": "ended", **data}, real if event.real else over)

    def _tell(self, event: Mapping[str, Any], warning: str) -> None:
        self._newest = event
        if not self._relearning:
            logger.warning(warning)
            self._log_event("outage", event)

    def metrics(self) -> dict[str, float]:
        """Counts and shares, as `Curriculum.metrics` documents them."""
        counts, rho = self.counts, self.living.rho
        return {
            "groups": self.living.groups,
            "rho": rho,
            "rho_recent": self.living.rho_recent,
            "oversampling": 1.0 / rho if rho else 0.0,
            "success_mean": self.success_sum / max(counts["ok"], 1),
            "in_flight": len(self.open),
            "frozen": float(self.monitor.frozen),
            "outages": self.monitor.count,
            "outcomes": self.number,
            "out_of_range": self.scale.out_of_range,
            "not_finite": self.scale.not_finite,
            **{name: counts[name] for name in (*STATUSES, *_COUNTS)},
        }

    def state_dict(self) -> dict[str, Any]:
        def uid(row: int) -> str:
            return self._pool[row].uid

        return {
            "learner": self.learner.state_dict(uid),
            "monitor": self.monitor.state_dict(),
            "group_size": self.group_size.state_dict(),
            "living": self.living.state_dict(),
            "open": self.open.state_dict(uid),
            "expected": sorted(self.expected.items()),
            "scale": self.scale.state_dict(),
            "counts": dict(self.counts),
            "number": self.number,
            "highest": self.highest,
            "success_sum": self.success_sum,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.learner.load_state_dict(state["learner"], self._pool.find)
        self.monitor.load_state_dict(state["monitor"])
        self.group_size.load_state_dict(state["group_size"])
        self.living.load_state_dict(state["living"])
        self.open.load_state_dict(state["open"], self._pool.find)
        self.expected = dict(state["expected"])
        self.scale.load_state_dict(state["scale"])
        self.counts, self.number = Counter(state["counts"]), state["number"]
        self.highest = state["highest"]
        self.success_sum = state["success_sum"]
