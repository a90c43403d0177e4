"""Makes what the queue of a store asks for, beside the rollouts and never in their way."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from uuid import uuid4

from curriculum_env.augment.effort import UNLIMITED, Effort, ProcessorShare
from curriculum_env.augment.health import Health
from curriculum_env.augment.policy import EVENT
from curriculum_env.augment.work import Worker, paid_of
from curriculum_env.augment_config import AugmentConfig
from curriculum_env.errors import StoreError
from curriculum_env.pool.estimate.rollouts import HaltError, ServiceError
from curriculum_env.store import Store
from curriculum_env.store.queue import FREE, STATUS, Augmentation, Spent
from curriculum_env.types import Row

logger = logging.getLogger(__name__)

CLAIM_SECONDS = 60.0
SIGN_SECONDS = 60.0
"""A service that has nothing new to say repeats itself after so long: it lives."""
REFUSALS = 8
"""So many requests refused without a task accepted between them, and a service counts as down."""
_POLL_SECONDS = 0.5
_LOOK_SECONDS = 5.0
_LATE_SECONDS = 60.0
"""By which clocks of services may differ."""
_POOR_SECONDS = 10.0
_CHUNK = 16


@dataclass(slots=True)
class AugmentService:
    """Claims items, `config.concurrency` at a time, and works on them until `stop`.

    `pool` gives the rows that variants must differ from; they are made known before anything is
    claimed. It takes no more than `effort` of a processor's time, so that rollouts go on beside it.
    Whatever fails, `run` goes on: services that are down are tried again now and then, a store that
    is away too. What it has claimed is free for others `lease` seconds after it died. Use it in one
    event loop.
    """

    store: Store
    config: AugmentConfig
    worker: Worker
    pool: Callable[[], Iterable[Row]] = tuple
    effort: Effort = UNLIMITED
    health: Health = field(default_factory=Health)
    name: str = field(default_factory=lambda: uuid4().hex)
    lease: float = CLAIM_SECONDS
    _share: ProcessorShare = field(init=False)
    _busy: dict[int, asyncio.Task[None]] = field(default_factory=dict)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _said: tuple[str, str] = ("", "")
    _signed: float = math.inf
    _looked: float = -math.inf
    _seen: float = 0.0
    _renewed: float = -math.inf
    _poor_until: float = -math.inf

    def stop(self) -> None:
        """Begin nothing more: `run` gives back what it has begun, and returns."""
        self._stop.set()

    async def run(self) -> None:
        """Work until `stop`."""
        try:
            await self._learn_pool()
            while not self._stop.is_set():
                await self._guarded()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), _POLL_SECONDS)
        finally:
            await self._end()

    async def drain(self) -> None:
        """Work until there is nothing that could be begun now."""
        try:
            await self._learn_pool()
            while await self._guarded() or self._busy:
                await asyncio.sleep(0.02)
        finally:
            await self._end()

    # --- one round ---------------------------------------------------------------------------
    async def _guarded(self) -> bool:
        try:
            return await self._round()
        except StoreError as error:
            logger.debug("the queue cannot be reached: %s", error)
            return False

    async def _round(self) -> bool:
        """Fill the free places; whether any was."""
        await self._reap()
        await self._renew()
        await self._sign()
        if self.health.down:
            await self._say("down", self.health.reason)
        free = self.health.room(self.config.concurrency - len(self._busy), len(self._busy))
        if free <= 0 or self._share.debt or await self._waits():
            return False
        began = await self._fill(free)
        if began and not self.health.down:
            await self._say("working")
        return began

    async def _fill(self, free: int) -> bool:
        """Claim and begin as many items; whether any was. Where there is a budget one after the
        other, for what is claimed is set aside in every service."""
        limited, began = self.worker.spending.limited, False
        for _ in range(free if limited else 1):
            claim = self.store.queue.claim
            claimed = await asyncio.to_thread(claim, self.name, 1 if limited else free, self.lease)
            if claimed and limited:
                await self._reckon()
            begun = [await self._begin(item) for item in claimed]
            began = began or any(begun)
            if not any(begun):
                break
        return began

    async def _waits(self) -> bool:
        """Whether there is a reason to begin nothing now, which is said."""
        now = time.monotonic()
        if now < self._poor_until:
            return True
        if now - self._looked > _LOOK_SECONDS:
            self._looked = now
            await self._look()
        if not self.worker.ready:
            await self._say("waiting", "no rollout has told yet where the policy answers")
            return True
        backlog = self.config.backlog
        if len(await asyncio.to_thread(self.store.queue.accepted, backlog)) >= backlog:
            await self._say("waiting", "the pool takes no more tasks now")
            return True
        return False

    async def _reckon(self) -> None:
        """Ask the store what was spent, and what other services may spend: after the claim, so that
        of two that claim at once each knows of the other."""
        queue, spending = self.store.queue, self.worker.spending
        own = spending.own
        total = (await asyncio.to_thread(queue.counts)).spent
        spending.told(own, total, await asyncio.to_thread(queue.claims, self.name))

    async def _look(self) -> None:
        """Learn where the policy answers, and which tasks there are besides the pool's: those made
        before, and by other services."""
        self.worker.look(await asyncio.to_thread(self.store.events, EVENT))
        now = time.time()
        made = await asyncio.to_thread(self.store.queue.made, self._seen)
        self._seen = now - _LATE_SECONDS
        await self._know(made)

    async def _begin(self, item: Augmentation) -> bool:
        if self.worker.spending.reserve(item):
            self._busy[item.id] = asyncio.create_task(self._work(item))
            return True
        await self._give_back(item, tried=False)
        if not self._busy:
            self._poor_until = time.monotonic() + _POOR_SECONDS
            await self._say("waiting", "the budget is spent")
        return False

    async def _reap(self) -> None:
        """Forget what is done; raises `StoreError` where the store failed an item, which is then
        taken up again once its claim has run out."""
        done = [number for number, task in self._busy.items() if task.done()]
        for task in [self._busy.pop(number) for number in done]:
            task.result()

    async def _renew(self) -> None:
        now = time.monotonic()
        if now - self._renewed > self.lease / 4:
            self._renewed = now
            renew = self.store.queue.renew
            await asyncio.to_thread(renew, self.name, list(self._busy), self.lease)

    # --- one item ----------------------------------------------------------------------------
    async def _work(self, item: Augmentation) -> None:
        """One item to its end; every failure but the store's is answered here."""
        try:
            await self.worker.work(item)
            self._judge()
        except ServiceError as error:
            self.health.failed(str(error))
            took = paid_of(error, self.worker.spending)
            await self._give_back(item, tried=not self.health.down, took=took)
        except HaltError as error:
            self.health.failed(str(error), for_good=True)
            await self._give_back(item, tried=False)
        except StoreError:
            raise
        except Exception as error:  # whatever an environment's own code raises
            logger.warning("no variant can be made of %s", item.source.uid, exc_info=error)
            await asyncio.to_thread(self.store.queue.discard, item, "no_task")
        finally:
            self.worker.spending.settle(item, FREE)

    def _judge(self) -> None:
        """An item came to its end; where a service refuses all of them, they are not to blame."""
        refusals = self.worker.refusals
        if len(refusals) < REFUSALS:
            self.health.succeeded()
        else:
            self.health.failed(refusals[-1], for_good=True)

    async def _give_back(self, item: Augmentation, *, tried: bool, took: Spent = FREE) -> None:
        queue = self.store.queue
        self.worker.spending.settle(item, took)
        if tried and item.tries + 1 >= self.config.tries:
            await asyncio.to_thread(queue.discard, item, "gave_up", took)
        else:
            await asyncio.to_thread(lambda: queue.give_back(item, took, tried=tried))

    # --- beginning and end -------------------------------------------------------------------
    async def _learn_pool(self) -> None:
        """Make the pool known to the filters."""
        await self._say("waiting", "the rows of the pool are being read")
        self._share = ProcessorShare(self.effort.reading)
        await self._know(self.pool())
        self._share = ProcessorShare(self.effort.making)

    async def _know(self, rows: Iterable[Row]) -> None:
        """Make rows known to the filters, a little at a time."""
        left = iter(rows)
        while (chunk := list(islice(left, _CHUNK))) and not self._stop.is_set():
            self.worker.maker.filters.add(chunk)
            await self._sign()
            await asyncio.sleep(self._share.debt)

    async def _end(self) -> None:
        for task in self._busy.values():
            task.cancel()
        await asyncio.gather(*self._busy.values(), return_exceptions=True)
        with suppress(StoreError):
            await asyncio.to_thread(self.store.queue.release, self.name)
        await self._say("stopped")
        await self.worker.maker.close()

    async def _say(self, state: str, reason: str = "") -> None:
        """Leave word of what the service does, where that is news."""
        if self._said == (state, reason):
            return
        self._said = (state, reason)
        (logger.warning if state == "down" else logger.info)(
            "the service of new tasks: %s%s", state, f": {reason}" * bool(reason)
        )
        await self._write()

    async def _sign(self) -> None:
        """Say the same again, if that was long ago."""
        if time.monotonic() - self._signed >= SIGN_SECONDS:
            await self._write()

    async def _write(self) -> None:
        self._signed = time.monotonic()
        state, reason = self._said
        with suppress(StoreError):
            event = {"state": state, "reason": reason, "name": self.name}
            await asyncio.to_thread(self.store.log_event, STATUS, event)
