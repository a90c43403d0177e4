"""The way of a variant, from a parent to a row of the pool."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace

from curriculum_env.augment.attempt import attempt, attempt_async
from curriculum_env.augment.filters import Filters
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.proposal import Annotation, Discard, Kind, Proposal, clamped
from curriculum_env.augment.proposer import Proposer
from curriculum_env.augment.teacher import Teacher
from curriculum_env.errors import PoolError
from curriculum_env.pool.pool import check_row
from curriculum_env.types import Row


@dataclass(frozen=True, slots=True)
class Accepted:
    """A row that may join the pool, with its parent and factor set, and who answered it."""

    row: Row
    annotation: Annotation


@dataclass(slots=True)
class Maker:
    """Takes a variant through its stages. Each stage that costs something is a call of its own, so
    that its result can be written down before the next begins.

    `name` of `settle` and `make` tells one variant from another: settled again under its own name
    it is no duplicate of itself. Use it in one event loop.
    """

    hooks: AugmentHooks
    filters: Filters
    proposer: Proposer | None = None
    teacher: Teacher | None = None
    _names: dict[str, str] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def propose(self, policy: Policy, parent: Row, kind: Kind) -> Proposal | Discard:
        """A variant of `parent` that the policy wrote and nothing speaks against so far.

        Raises:
            ServiceError, HaltError: as `Proposer.propose` says.
        """
        assert self.proposer is not None
        proposal = await self.proposer.propose(policy, parent, kind)
        if isinstance(proposal, Discard):
            return proposal
        problem = proposal.problem
        refusal = attempt(lambda: self.filters.problem(parent, kind, problem))
        return proposal if refusal is None else _of(refusal, proposal)

    async def settle(self, parent: Row, proposal: Proposal, name: str = "") -> Accepted | Discard:
        """The row of a proposal, answered and checked; the pool of the filters knows it from then
        on.

        Raises:
            ServiceError, HaltError: as `Teacher.annotate` says.
        """
        assert self.teacher is not None
        annotation = await self.teacher.annotate(parent, proposal.problem)
        if isinstance(annotation, Discard):
            return annotation
        row = self._row(parent, proposal, annotation)
        if isinstance(row, Row):
            row = await self._admitted(parent, proposal.kind, row, name)
        return Accepted(row, annotation) if isinstance(row, Row) else _of(row, annotation)

    async def make(
        self, parent: Row, kind: Kind, number: int, name: str = ""
    ) -> Accepted | Discard:
        """The environment's own variant `number` of `parent`, which needs neither the policy nor a
        teacher."""
        vary = self.hooks.augment_variant
        async with self._turn:
            made = await attempt_async(lambda: asyncio.to_thread(vary, parent, kind, number))
        if isinstance(made, Row):
            made = replace(made, parent=parent.uid, factor=clamped(made.factor, kind))
            made = await self._admitted(parent, None, made, name)
        if isinstance(made, Row):
            return Accepted(made, Annotation(None, model="environment", votes=0))
        return made or Discard("no_task")

    async def close(self) -> None:
        """Close the connections."""
        if self.proposer is not None:
            await self.proposer.endpoint.close()
        if self.teacher is not None:
            await self.teacher.close()

    def _row(self, parent: Row, proposal: Proposal, verdict: Annotation) -> Row | Discard:
        kind, problem, answer = proposal.kind, proposal.problem, verdict.answer or ""
        refusal = attempt(lambda: self.filters.verdict(parent, kind, problem, verdict))
        if refusal is not None:
            return refusal
        row = attempt(lambda: self.hooks.child(parent, problem, answer))
        if isinstance(row, Row):
            return replace(row, parent=parent.uid, factor=proposal.factor)
        return row or Discard("no_task")

    async def _admitted(self, parent: Row, kind: Kind | None, row: Row, name: str) -> Row | Discard:
        if name and self._names.get(row.uid) == name:
            return row
        refusal = _unfit(row) or await attempt_async(lambda: self.filters.child(parent, kind, row))
        if refusal is not None:
            return refusal
        self.filters.add([row])
        self._names[row.uid] = name
        return row


def _unfit(row: Row) -> Discard | None:
    """Why no store or pool takes the row."""
    try:
        check_row(row, 0)
        json.dumps([row.data, row.features], allow_nan=False, ensure_ascii=False).encode()
    except (PoolError, TypeError, ValueError, RecursionError) as error:
        return Discard("no_task", str(error))
    return None


def _of(refusal: Discard, paid: Proposal | Annotation | Discard) -> Discard:
    """A refusal of what was paid for."""
    return replace(
        refusal,
        model=paid.model,
        prompt_tokens=paid.prompt_tokens,
        completion_tokens=paid.completion_tokens,
    )
