"""Opening a store: which run goes on, and which of its draws are to be replayed."""

from __future__ import annotations

import logging
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.grader import Grader
from curriculum_env.engine.growth import EVENT, Growth
from curriculum_env.errors import PoolError, StoreError
from curriculum_env.pool import Pool
from curriculum_env.store import OutcomeReader, Run, Store
from curriculum_env.types import Draw

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """`earlier` are the draws of earlier runs, `logged` those of `run`, both by rising number.
    Beliefs are discounted before the first outcome of a draw from each of `discounts` on."""

    run: Run
    earlier: list[Draw]
    logged: list[Draw]
    discounts: tuple[int, ...]


def open_run(store: Store, config: CurriculumConfig, pool: Pool, growth: Growth) -> Opened:
    """Own the store, and continue its last run or start one, as `config.resume` says; the rows that
    were generated join the pool.

    Raises:
        OwnerError: another living curriculum owns the store.
        StoreError: it holds draws and `resume` is "never".
        PoolError: a draw to replay is of a row that the pool no longer has.
    """
    store.acquire()
    growth.restore(store.events(EVENT), pool)
    last = store.last_run()
    draws = list(store.draws())
    if draws and config.resume == "never":
        raise StoreError(
            f"{store.url} already holds {len(draws)} draws and resume is 'never'; "
            "use another store, or set curriculum.resume to 'continue' or 'warm'"
        )
    if last is None or (draws and config.resume == "warm"):
        return _start(store, config, last, draws)
    logged = [draw for draw in draws if draw.number >= last.first_draw]
    check_logged(logged, pool, store)
    if logged:
        age = time.time() - logged[-1].time
        logger.warning(
            "%s holds %d draws, the last of them %s old: they are replayed before new ones "
            "(curriculum.resume = 'warm' starts afresh with their beliefs)",
            store.url, len(logged), _span(age),
        )  # fmt: skip
    earlier = draws[: len(draws) - len(logged)]
    return Opened(last, earlier, logged, tuple(last.config.get("discounts", ())))


def _start(store: Store, config: CurriculumConfig, last: Run | None, draws: list[Draw]) -> Opened:
    first = draws[-1].number + 1 if draws else 0
    discounts = (*(last.config.get("discounts", ()) if last else ()), *([first] if draws else ()))
    settings: dict[str, Any] = config.model_dump(mode="json")
    run = store.start_run({**settings, "discounts": list(discounts)})
    if draws:
        logger.warning(
            "%s holds %d draws of earlier runs: their beliefs are kept, weighed by %s, and a new "
            "run begins", store.url, len(draws), config.warm_discount,
        )  # fmt: skip
    return Opened(run, draws, [], discounts)


def pool_event(pool: Pool) -> dict[str, Any]:
    """What a store is told of the pool: its size, the rows of each bucket, and whether any brought
    an offline estimate."""
    buckets = [[*bucket, count] for bucket, count in pool.buckets.items()]
    priors = any(row.prior_attempts for row in pool)
    return {"size": len(pool), "buckets": buckets, "priors": priors}


def check_logged(logged: list[Draw], pool: Pool, store: Store) -> None:
    """Raise `PoolError` where a draw to replay is of a row that the pool does not have."""
    missing = [draw.uid for draw in logged if pool.find(draw.uid) is None]
    if missing:
        raise PoolError(
            f"{len(missing)} of the {len(logged)} draws logged in {store.url} are of rows that "
            f"the pool no longer has (the first is {missing[0]}); expected the pool they were "
            "drawn from: restore it, or set curriculum.resume = 'warm' to keep the beliefs only"
        )


def relearn(reader: OutcomeReader, opened: Opened, grader: Grader, keep: float) -> None:
    """Learn all outcomes of the store, in order, keeping the share `keep` of the beliefs wherever
    a warm start discounted them."""
    boundaries = deque(opened.discounts)

    def discount_until(draw: int) -> None:
        while boundaries and boundaries[0] <= draw:
            boundaries.popleft()
            grader.learner.estimator.discount(keep)

    while outcomes := reader.read():
        for outcome in outcomes:
            discount_until(outcome.draw)
            grader.outcome(outcome)
    discount_until(opened.run.first_draw)


def _span(seconds: float) -> str:
    for size, unit in ((86_400, "days"), (3_600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} seconds"
