"""The loop: rollouts side by side, each in the journal before the next one is thought of."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from curriculum_env.errors import StateError
from curriculum_env.pool.estimate.budget import Budget
from curriculum_env.pool.estimate.journal import Journal
from curriculum_env.pool.estimate.patience import Patience
from curriculum_env.pool.estimate.plan import Plan
from curriculum_env.pool.estimate.rollouts import (
    Bound,
    Grade,
    HaltError,
    Player,
    RefusedError,
    Reply,
    ServiceError,
)
from curriculum_env.types import Row

logger = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0
_GRACE_SECONDS = 10.0
_UNGRADED = 8


@dataclass(slots=True)
class Estimation:
    """Plays `plan` over `rows`, `concurrency` rollouts at a time, until nothing is due, the budget
    is used up, the service is given up, or `stop`.

    `told` hears of each rollout that ended, by its status in the journal.
    """

    rows: Sequence[Row]
    player: Player
    grade: Grade
    journal: Journal
    plan: Plan
    budget: Budget
    patience: Patience
    concurrency: int
    told: Callable[[str], None] = lambda status: None
    stopping: bool = False
    out_of_budget: bool = False
    unwritten: StateError | None = None
    """Why rollouts cannot be written down, which stops the estimate as `stop` does."""
    refused: dict[str, str] = field(default_factory=dict)
    """The rows that the service does not take, by uid, and its reason."""
    _running: set[asyncio.Task[None]] = field(default_factory=set)
    _grades: bool = False
    _failed_grades: int = 0

    def stop(self) -> None:
        """Start no further rollout; those in flight finish."""
        self.stopping = True

    async def run(self) -> None:
        """Play. Cancelling it cancels the rollouts in flight, which are then lost."""
        try:
            await self._grade_left_over()
            while (row := await self._next()) is not None:
                self._running.add(asyncio.create_task(self._rollout(*row)))
            await self._drain()
        finally:
            for rollout in self._running:
                rollout.cancel()
            await asyncio.gather(*self._running, return_exceptions=True)

    async def _next(self) -> tuple[int, Bound] | None:
        """The next row to play and what is set aside for it, once there is room for it."""
        await asyncio.sleep(0)
        while not (self.stopping or self.patience.verdict):
            if len(self._running) < self.concurrency:
                row = self.plan.next()
                if row is not None:
                    bound = self.player.bound(self.rows[row])
                    if self.budget.reserve(bound):
                        return row, bound
                    self.plan.put_back(row)
                    self.out_of_budget = not self._running
                if not self._running:
                    return None
            await self._one_ends()
        return None

    async def _one_ends(self) -> None:
        done, self._running = await asyncio.wait(
            self._running, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        for rollout in done:
            rollout.result()
        if not done:
            self.patience.look()

    async def _drain(self) -> None:
        """Let what is in flight finish, of a service that was given up for a few seconds only."""
        until = time.monotonic() + min(_GRACE_SECONDS, self.patience.seconds)
        while self._running and not (self.patience.verdict and time.monotonic() > until):
            await self._one_ends()

    async def _rollout(self, row: int, bound: Bound) -> None:
        try:
            await self._play(row, bound)
        except StateError as error:
            self.unwritten = self.unwritten or error
            self.stop()

    async def _play(self, row: int, bound: Bound) -> None:
        uid = self.rows[row].uid
        number = self.journal.start(uid, bound)
        paid = Bound(0, 0)
        try:
            reply = await self.player.play(self.rows[row])
        except asyncio.CancelledError:
            paid = bound
            self.journal.lost(number)
            raise
        except (ServiceError, RefusedError, HaltError) as error:
            paid = error.paid if isinstance(error, ServiceError) else paid
            self.journal.failed(number, str(error), paid)
            self._failed(row, error)
        else:
            paid = _paid(reply, bound)
            self.journal.replied(number, reply, paid)
            self.patience.succeeded()
            await self._grade(number, row, reply.text, reply.success)
        finally:
            self.budget.settle(bound, *paid)

    def _failed(self, row: int, error: Exception) -> None:
        if isinstance(error, HaltError):
            self.patience.give_up(str(error))
        elif isinstance(error, RefusedError):
            self.refused[self.rows[row].uid] = str(error)
            self.plan.give_up(row)
            self.patience.refused(str(error))
        else:
            self.plan.failed(row)
            self.patience.failed(str(error))
        self.told("failed")

    async def _grade(self, number: int, row: int, reply: str, success: float | None) -> None:
        if success is None:
            try:
                success = await self.grade(self.rows[row], reply)
            except Exception as error:  # whatever a rubric's own code raises
                self._ungraded(number, f"{type(error).__name__}: {error}")
                return
        if not 0.0 <= success <= 1.0:
            self._ungraded(number, f"a success of {success}, which is not between 0 and 1")
            return
        self.journal.graded(number, success)
        self.plan.graded(row, success)
        self._grades = True
        self.told("graded")

    def _ungraded(self, number: int, reason: str) -> None:
        logger.warning("A reply could not be graded: %s", reason)
        self.journal.ungraded(number, reason)
        self._failed_grades += 1
        if self._failed_grades >= _UNGRADED and not self._grades:
            self.patience.give_up(f"the rubric could grade none of the first replies ({reason})")
        self.told("ungraded")

    async def _grade_left_over(self) -> None:
        """Grade the replies that an earlier process paid for and did not grade."""
        positions = {row.uid: position for position, row in enumerate(self.rows)}
        for number, uid, reply, success in self.journal.to_grade():
            if uid in positions:
                self.plan.asked(positions[uid])
                await self._grade(number, positions[uid], reply, success)


def _paid(reply: Reply, bound: Bound) -> Bound:
    """The tokens that a reply took; where the endpoint does not count, the most it can have."""
    prompt, completion = reply.prompt_tokens, reply.completion_tokens
    return Bound(
        bound.prompt if prompt is None else prompt,
        bound.completion if completion is None else completion,
    )
