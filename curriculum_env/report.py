"""What a run showed, level by level: plain numbers, no drawing."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from curriculum_env.metrics import effective_number
from curriculum_env.types import Group, Outcome

Bucket: TypeAlias = tuple[str, str]


class Beliefs(NamedTuple):
    """The expected survival of a task by its uid, and its mean over the pool."""

    survival: Callable[[str], float]
    uniform: float


class Drawn(NamedTuple):
    """What a report needs to know of a draw."""

    number: int
    uid: str
    bucket: Bucket


@dataclass(frozen=True, slots=True)
class LevelReport:
    """One level, of one domain or (`domain` empty) of all. `rows` counts its rows in the pool,
    None where that is unknown; `pass_rate` and `survival` are None before the first graded
    rollout."""

    domain: str
    level: str
    rows: int | None
    draws: int
    distinct: int
    rollouts: int
    errors: int
    pass_rate: float | None
    survival: float | None


@dataclass(frozen=True, slots=True)
class RefillReport:
    """How drawing on went until `groups` groups were worth training on: `batch` are their draws,
    `rho` the share of the graded groups that were, `oversampling` its inverse; groups `discarded`
    by the gate, `lost` because no rollout of them was graded, and `carried` beyond the batch."""

    groups: int
    batch: tuple[int, ...]
    rho: float
    oversampling: float
    discarded: int
    lost: int
    carried: int


@dataclass(frozen=True, slots=True)
class RunReport:
    """The whole run; every rate lies in [0, 1] or is None where nothing was measured.

    `survival` is rho, the share of the graded groups whose successes are not all alike, and
    `survival_last_half` that of the later half of the draws; `survival_uniform` is what uniform
    drawing would have had: the mean over the pool of each task's measured rho, a task never
    drawn counting as the mean of its level. `expected_last_half` and `expected_uniform` are the
    same by the beliefs: the mean expected survival of the tasks drawn, and of the pool.
    `effective` is the exponential of the entropy of the draws over tasks.
    """

    group_size: int
    draws: int
    in_flight: int
    rollouts: int
    errors: int
    cancelled: int
    tokens: int
    mean_reward: float | None
    survival: float | None
    survival_last_half: float | None
    survival_uniform: float | None
    expected_last_half: float | None
    expected_uniform: float | None
    distinct: int
    effective: float
    levels: tuple[LevelReport, ...]
    buckets: tuple[LevelReport, ...]
    refill: RefillReport | None = None


@dataclass(slots=True)
class Ledger:
    """The draws of a run and what came back, added one by one.

    `success` maps a reward to [0, 1], or to None where it is no grade; `group_size` is the number
    of rollouts of a draw.
    """

    group_size: int
    success: Callable[[float], float | None]
    draws: dict[int, Drawn] = field(default_factory=dict)
    outcomes: dict[int, dict[str, Outcome]] = field(default_factory=lambda: defaultdict(dict))
    successes: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))

    def draw(self, number: int, uid: str, domain: str, level: str) -> None:
        """Add a draw; one already known is not counted twice."""
        self.draws.setdefault(number, Drawn(number, uid, (domain, level)))

    def record(self, outcome: Outcome) -> None:
        """Add an outcome; a rollout already known is not counted twice."""
        known = self.outcomes[outcome.draw]
        if outcome.rollout_id in known:
            return
        known[outcome.rollout_id] = outcome
        if outcome.status == "ok" and outcome.reward is not None:
            success = self.success(outcome.reward)
            if success is not None:
                self.successes[outcome.draw].append(success)

    def of(self, draws: Iterable[int]) -> list[Outcome]:
        """The outcomes of `draws`, in the order they came."""
        return [o for draw in draws if draw in self.outcomes for o in self.outcomes[draw].values()]

    def graded(self, draws: Iterable[int]) -> list[float]:
        """The successes of `draws`."""
        return [s for draw in draws if draw in self.successes for s in self.successes[draw]]

    def finished(self, draw: int) -> bool:
        """Whether all its rollouts ended, well or not."""
        return sum(o.status != "cancelled" for o in self.of([draw])) >= self.group_size

    def survival(self, draws: Iterable[int]) -> float | None:
        """rho over those of `draws` that are finished and have a graded rollout."""
        groups = [
            Group(draw, 0, tuple(self.successes[draw]))
            for draw in draws
            if draw in self.successes and self.finished(draw)
        ]
        return _mean([float(group.alive) for group in groups])

    def mean_reward(self, draws: Iterable[int]) -> float | None:
        """The mean reward of the graded rollouts of `draws`."""
        return _mean([o.reward for o in self.of(draws) if o.reward is not None])


def build_report(
    ledger: Ledger,
    *,
    pool: Mapping[Bucket, int] | None = None,
    beliefs: Beliefs | None = None,
    refill: RefillReport | None = None,
) -> RunReport:
    """Sum up a run. `pool` counts the rows of each bucket."""
    numbers = sorted(ledger.draws)
    last_half = numbers[len(numbers) // 2 :]
    outcomes = ledger.of(numbers)
    statuses = Counter(outcome.status for outcome in outcomes)
    visits = Counter(draw.uid for draw in ledger.draws.values())
    believed = [beliefs.survival(ledger.draws[n].uid) for n in last_half] if beliefs else []
    return RunReport(
        group_size=ledger.group_size,
        draws=len(numbers),
        in_flight=sum(not ledger.finished(number) for number in numbers),
        rollouts=statuses["ok"],
        errors=statuses["error"],
        cancelled=statuses["cancelled"],
        tokens=sum(outcome.tokens for outcome in outcomes),
        mean_reward=ledger.mean_reward(numbers),
        survival=ledger.survival(numbers),
        survival_last_half=ledger.survival(last_half),
        survival_uniform=_uniform(ledger, pool) if pool else None,
        expected_last_half=_mean(believed),
        expected_uniform=beliefs.uniform if beliefs else None,
        distinct=len(visits),
        effective=effective_number(visits.values()),
        levels=tuple(_levels(ledger, pool, _level)),
        buckets=tuple(_levels(ledger, pool, _bucket)),
        refill=refill,
    )


def _level(bucket: Bucket) -> Bucket:
    return ("", bucket[1])


def _bucket(bucket: Bucket) -> Bucket:
    return bucket


def _levels(
    ledger: Ledger, pool: Mapping[Bucket, int] | None, key: Callable[[Bucket], Bucket]
) -> Iterator[LevelReport]:
    drawn: dict[Bucket, list[Drawn]] = defaultdict(list)
    rows: Counter[Bucket] = Counter()
    for draw in ledger.draws.values():
        drawn[key(draw.bucket)].append(draw)
    for bucket, count in (pool or {}).items():
        rows[key(bucket)] += count
    for bucket in sorted({*drawn, *rows}, key=_natural):
        numbers = [draw.number for draw in drawn[bucket]]
        outcomes, successes = ledger.of(numbers), ledger.graded(numbers)
        yield LevelReport(
            domain=bucket[0],
            level=bucket[1],
            rows=rows[bucket] if pool else None,
            draws=len(numbers),
            distinct=len({draw.uid for draw in drawn[bucket]}),
            rollouts=len(successes),
            errors=sum(outcome.status == "error" for outcome in outcomes),
            pass_rate=_mean(successes),
            survival=ledger.survival(numbers),
        )


def _uniform(ledger: Ledger, pool: Mapping[Bucket, int]) -> float | None:
    """None unless each level of the pool was measured."""
    draws: dict[Bucket, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows: Counter[Bucket] = Counter()
    for draw in ledger.draws.values():
        draws[_level(draw.bucket)][draw.uid].append(draw.number)
    for bucket, count in pool.items():
        rows[_level(bucket)] += count
    total = 0.0
    for level, count in rows.items():
        survivals = map(ledger.survival, draws[level].values())
        measured = _mean([survival for survival in survivals if survival is not None])
        if measured is None:
            return None
        total += count * measured
    return total / rows.total()


def _natural(bucket: Bucket) -> tuple[object, ...]:
    """Sort key that puts level 2 before level 10."""
    domain, level = bucket
    return (domain, *((0, int(level), "") if level.isdecimal() else (1, 0, level)))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
