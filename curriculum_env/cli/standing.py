"""How a run stands: the report, the frontier, and what went wrong."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from curriculum_env.cli.stored import StoredRun, replayed
from curriculum_env.cli.variants import Variants, variants
from curriculum_env.engine.growth import EVENT as GROWN
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.report import Beliefs, Bucket, Ledger, RunReport, build_report
from curriculum_env.types import Row

HARD, EASY = 0.2, 0.8


@dataclass(frozen=True, slots=True)
class Frontier:
    """How many tasks are believed to pass in less than `HARD`, in between, in more than `EASY`,
    and how many of the pool were never drawn (None where its size is not known)."""

    too_hard: int
    frontier: int
    too_easy: int
    untouched: int | None


@dataclass(frozen=True, slots=True)
class Outage:
    """`began` and `ended` are Unix seconds; `ended` is None while it lasts."""

    reason: str
    began: float
    ended: float | None
    groups_undone: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A run at one moment. `dropped` draws were given up unfinished, `unwritten` outcomes were
    lost on their way, `strays` belong to no draw of the run; with `priors` the run's rows began
    with offline estimates, which these beliefs lack; `variants` is None where none was ever asked
    for; times are Unix seconds."""

    url: str
    run: int
    started: float
    last_draw: float | None
    sampler: str
    estimator: str
    pool: int | None
    priors: bool
    frontier: Frontier
    in_flight: int
    dropped: int
    strays: int
    unwritten: int
    outages: tuple[Outage, ...]
    variants: Variants | None
    report: RunReport


def standing(stored: StoredRun, now: float | None = None) -> Standing:
    """Work out how the run stands at `now` (Unix seconds; unset, this moment)."""
    now = time.time() if now is None else now
    config, pool = stored.config, _pool(stored.events)
    ledger = Ledger(stored.group_size, RewardScale(config).success)
    for draw in stored.draws:
        ledger.draw(draw.number, draw.uid, draw.domain, draw.level)
    for outcome in stored.outcomes:
        ledger.record(outcome)
    frontier, beliefs = _beliefs(stored, pool)
    report = build_report(ledger, pool=pool, beliefs=beliefs)
    dropped = _dropped(stored, ledger, now)
    drawn = {draw.number for draw in (*stored.earlier, *stored.draws)}
    return Standing(
        url=stored.url,
        run=stored.run.id,
        started=stored.run.started,
        last_draw=stored.draws[-1].time if stored.draws else None,
        sampler=config.sampler.type,
        estimator=config.estimator.type,
        pool=sum(pool.values()) if pool else None,
        priors=stored.priors,
        frontier=frontier,
        in_flight=report.in_flight - dropped,
        dropped=dropped,
        strays=sum(outcome.draw not in drawn for outcome in stored.outcomes),
        unwritten=sum(int(e.get("count", 0)) for e in stored.events if e["kind"] == "unwritten"),
        outages=tuple(_outages(stored.events)),
        variants=variants(stored.queue, stored.events, now),
        report=report,
    )


def _pool(events: Sequence[Mapping[str, Any]]) -> Counter[Bucket] | None:
    """The rows of each bucket: as the newest `pool` event counts them, and those that joined."""
    newest = max((i for i, event in enumerate(events) if event["kind"] == "pool"), default=None)
    if newest is None:
        return None
    counts = Counter({(domain, level): n for domain, level, n in events[newest]["buckets"]})
    for event in events[newest:]:
        if event["kind"] == GROWN:
            counts.update((domain, level) for _, _, domain, level, *_ in event["rows"])
    return counts


def _beliefs(stored: StoredRun, pool: Counter[Bucket] | None) -> tuple[Frontier, Beliefs | None]:
    """The frontier, and the expected survival: of the rows drawn by their beliefs, of the others
    by the belief about a row of which nothing but its bucket is known."""
    drawn = {draw.uid for draw in (*stored.earlier, *stored.draws)}
    rest = pool - _drawn(stored) if pool else Counter[Bucket]()
    untouched = rest.total() if pool else None
    if not drawn:
        return Frontier(0, 0, 0, untouched), None
    with replayed(stored) as curriculum:
        mean_N = curriculum.estimator.mean()
        uids = [row.uid for row in curriculum.rows]
        curriculum.estimator.add([Row("unknown", {}, *bucket) for bucket in rest])
        survival_N = curriculum.estimator.survival(stored.group_size)
    too_hard, too_easy = int((mean_N < HARD).sum()), int((mean_N > EASY).sum())
    frontier = Frontier(too_hard, len(mean_N) - too_hard - too_easy, too_easy, untouched)
    uniform = float(np.average(survival_N, weights=[*[1] * len(uids), *rest.values()]))
    return frontier, Beliefs(
        dict(zip(uids, survival_N.tolist(), strict=False)).__getitem__, uniform
    )


def _drawn(stored: StoredRun) -> Counter[Bucket]:
    """The different rows of each bucket that were drawn."""
    seen = {draw.uid: (draw.domain, draw.level) for draw in (*stored.earlier, *stored.draws)}
    return Counter(seen.values())


def _dropped(stored: StoredRun, ledger: Ledger, now: float) -> int:
    """The unfinished draws whose lease is over."""
    config = stored.config
    oldest_time = now - config.lease_seconds if config.lease_seconds else float("-inf")
    last = stored.draws[-1].number if stored.draws else 0
    oldest = last + 1 - (config.lease_draws or 4096)
    return sum(
        (draw.number < oldest or draw.time < oldest_time) and not ledger.finished(draw.number)
        for draw in stored.draws
    )


def _outages(events: Sequence[Mapping[str, Any]]) -> list[Outage]:
    """One after the other; one that begins while another lasts is a resumed run's sight of it."""
    outages: list[Outage] = []
    for event in events:
        if event["kind"] != "outage":
            continue
        lasting = bool(outages) and outages[-1].ended is None
        if event["phase"] == "began" and not lasting:
            undone = int(event["groups_undone"])
            outages.append(Outage(event["reason"], event["time"], None, undone))
        elif event["phase"] == "ended" and lasting:
            outages.append(replace(outages.pop(), ended=event["time"]))
    return outages
