"""Rewards that are not to be believed: a burst of errors, or a sudden unbroken run of zeros."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from curriculum_env.config import OutageConfig

Reason = Literal["errors", "zeros"]


@dataclass(frozen=True, slots=True)
class OutageBegan:
    """The outage is taken to have begun with outcome number `since`."""

    since: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class OutageEnded:
    """`real` where the policy itself is taken to have failed."""

    reason: Reason
    rollouts: int
    real: bool


OutageEvent = OutageBegan | OutageEnded


Before: TypeAlias = Literal["none", "failed", "scored"]
_BEFORE: tuple[Before, ...] = ("none", "failed", "scored")


@dataclass(frozen=True, slots=True)
class GradedGroup:
    """What the monitor looks at: the row and its bucket, the number of the `first` outcome, what
    became of the row's group `before`, and, where no rollout scored, the chance of that by the
    belief before it (None where one did)."""

    row: int
    bucket: tuple[str, str]
    first: int
    before: Before
    chance_to_fail: float | None


class _ErrorBurst:
    """A share of failed rollouts that is both high and twice what the run is used to.

    `recent` are the numbers of the failed ones among the last `error_window`, so that a rollout
    that went well costs next to nothing; what the run is used to is a moving average over 256.
    """

    def __init__(self, config: OutageConfig) -> None:
        self._config = config
        self._usual = 0.0
        self._usual_at = 0
        self.recent: deque[int] = deque()

    def observe(self, number: int, failed: bool, frozen: bool) -> int | None:
        """The number of the burst's first failed outcome, where one begins."""
        recent, size = self.recent, self._config.error_window
        if failed:
            recent.append(number)
        while recent and recent[0] <= number - size:
            recent.popleft()
        share = len(recent) / size
        if number >= size and share >= max(self._config.error_share, 2.0 * self._used_to(number)):
            return recent[0]
        if failed and not frozen:
            self._set_usual(number, self._used_to(number) + 1 / 256)
        return None

    @property
    def over(self) -> bool:
        return len(self.recent) < self._config.error_window * self._config.error_share / 2

    def accept(self, number: int) -> None:
        """What happens now is the usual."""
        self._set_usual(number, len(self.recent) / self._config.error_window)

    def _used_to(self, number: int) -> float:
        return self._usual * (255 / 256) ** (number - self._usual_at)

    def _set_usual(self, number: int, usual: float) -> None:
        self._usual, self._usual_at = usual, number

    def state_dict(self) -> dict[str, Any]:
        return {"usual": self._usual, "at": self._usual_at, "recent": list(self.recent)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._usual, self._usual_at = state["usual"], state["at"]
        self.recent = deque(state["recent"])


class _ZeroRun:
    """An unbroken run of failures that the run's own share of failed groups makes incredible.

    Each failed group had a chance: the share of groups that failed entirely before the run, or what
    was believed of the row, whichever is greater. Rows never drawn before, those whose last group
    failed entirely and those whose last group scored have a share each, for a rule may turn from
    the rows it knows to a dead tail; the shares start high, and a row of the first two kinds may
    always be dead, with a chance of a half. The chance of the run is the product. Rows and buckets
    must be distinct, for one hard task says nothing of others.
    """

    _FLOOR, _UNSCORED, _CEILING = 0.05, 0.5, 0.98

    def __init__(self, config: OutageConfig) -> None:
        self._config = config
        self._failed_share = dict.fromkeys(_BEFORE, self._CEILING)
        self._any_success = False
        self.reset(None)

    def reset(self, since: int | None) -> None:
        self._since = since
        self._share_before = dict(self._failed_share)
        self._log_chance = 0.0
        self._rows: set[int] = set()
        self._buckets: set[tuple[str, str]] = set()

    @property
    def running(self) -> bool:
        return self._since is not None

    def outcome(self, number: int, success: float) -> None:
        if success > 0.0:
            self.reset(None)
        elif self._since is None:
            self.reset(number)

    def group(self, group: GradedGroup, buckets: int) -> int | None:
        """The number of the run's first outcome, where it has become incredible."""
        failed, since = group.chance_to_fail is not None, self._since
        self._any_success = self._any_success or not failed
        share = self._failed_share[group.before]
        self._failed_share[group.before] = share + (failed - share) / 64
        if group.chance_to_fail is None or not self._any_success:
            return None
        if since is None or group.first < since or group.row in self._rows:
            return None
        floor = self._FLOOR if group.before == "scored" else self._UNSCORED
        chance = max(self._share_before[group.before], group.chance_to_fail, floor)
        self._log_chance += math.log(min(chance, self._CEILING))
        self._rows.add(group.row)
        self._buckets.add(group.bucket)
        if len(self._rows) < 4 or len(self._buckets) < min(2, buckets):
            return None
        return since if self._log_chance < math.log(self._config.significance) else None

    def accept(self) -> None:
        """The policy fails now; only a success makes a run of failures sudden again."""
        self._any_success = False
        self.reset(None)

    def state_dict(self) -> dict[str, Any]:
        return {
            "failed_share": dict(self._failed_share),
            "any_success": self._any_success,
            "since": self._since,
            "share_before": dict(self._share_before),
            "log_chance": self._log_chance,
            "rows": sorted(self._rows),
            "buckets": sorted(self._buckets),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._failed_share = dict(state["failed_share"])
        self._share_before = dict(state["share_before"])
        self._any_success, self._since = state["any_success"], state["since"]
        self._log_chance = state["log_chance"]
        self._rows = set(state["rows"])
        self._buckets = {(domain, level) for domain, level in state["buckets"]}


class OutageMonitor:
    """Fed every outcome and every group; says when an outage begins and ends.

    While `frozen`, outcomes are not to be believed. It ends when the errors are over, or when
    `recovery` distinct rows scored again, or, with `patience`, when it has gone on for so long
    that it must be the policy's own failure.
    """

    def __init__(self, config: OutageConfig, buckets: int = 1) -> None:
        self._config = config
        self.buckets = buckets
        self._errors, self._zeros = _ErrorBurst(config), _ZeroRun(config)
        self.reason: Reason | None = None
        self.count = 0
        self._rollouts = 0
        self._scored: set[int] = set()

    @property
    def frozen(self) -> bool:
        return self.reason is not None

    def outcome(
        self, number: int, row: int, success: float | None, *, failed: bool
    ) -> OutageEvent | None:
        """One outcome: its success in [0, 1] where it was graded; `failed` where it errored."""
        if not self._config.enabled:
            return None
        errors, zeros, began = self._errors, self._zeros, None
        frozen = self.reason is not None
        if failed or errors.recent:
            began = errors.observe(number, failed, frozen)
        if frozen:
            return self._during(number, row, success)
        if success is not None and (success == 0.0 or zeros.running):
            zeros.outcome(number, success)
        return self._begin(began, "errors") if began is not None else None

    def group(self, group: GradedGroup) -> OutageBegan | None:
        """A group has been graded."""
        if not self._config.enabled or self.frozen:
            return None
        since = self._zeros.group(group, self.buckets)
        return self._begin(since, "zeros") if since is not None else None

    def _begin(self, since: int, reason: Reason) -> OutageBegan:
        self.reason, self._rollouts, self._scored = reason, 0, set()
        self.count += 1
        return OutageBegan(since, reason)

    def _during(self, number: int, row: int, success: float | None) -> OutageEnded | None:
        self._rollouts += 1
        if success is not None and success > 0.0:
            self._scored.add(row)
        scores = len(self._scored) >= self._config.recovery
        over = self._errors.over and scores
        real = self._rollouts >= self._config.patience
        if not (over or real):
            return None
        ended = OutageEnded(self.reason or "errors", self._rollouts, real and not over)
        self.reason = None
        self._zeros.reset(None)
        if ended.real:
            self._errors.accept(number)
            self._zeros.accept()
        return ended

    def state_dict(self) -> dict[str, Any]:
        return {
            "errors": self._errors.state_dict(),
            "zeros": self._zeros.state_dict(),
            "reason": self.reason,
            "count": self.count,
            "rollouts": self._rollouts,
            "scored": sorted(self._scored),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._errors.load_state_dict(state["errors"])
        self._zeros.load_state_dict(state["zeros"])
        self.reason, self.count = state["reason"], state["count"]
        self._rollouts, self._scored = state["rollouts"], set(state["scored"])
