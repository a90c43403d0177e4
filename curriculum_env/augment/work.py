"""One item of the queue, from its claim to its end; every paid step is written before the next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from curriculum_env.augment.hooks import answers_of
from curriculum_env.augment.maker import Accepted, Maker
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.proposal import Annotation, Discard, Proposal
from curriculum_env.augment.spending import Spending
from curriculum_env.pool.answers import answer_key
from curriculum_env.pool.estimate.rollouts import ServiceError
from curriculum_env.store.queue import FREE, RECHECK, Augmentation, Queue, Spent
from curriculum_env.types import Row

UPHELD = "upheld"
"""The reason of a doubted answer that was given again."""


@dataclass(slots=True)
class Worker:
    """Makes what is asked for. `check` raises where a row makes no task; `teacher` is the kind of
    teacher, for the record; `policy` is the current one, None before the first rollout."""

    queue: Queue
    maker: Maker
    spending: Spending
    check: Callable[[Row], object]
    by_environment: bool = False
    teacher: str = ""
    policy: Policy | None = None
    refusals: list[str] = field(default_factory=list)
    """What services said that refused requests, since the last task that was accepted."""

    @property
    def ready(self) -> bool:
        """Whether all is known that is needed."""
        return self.by_environment or self.policy is not None

    def look(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Take the newest policy that rollouts told of."""
        if events:
            self.policy = Policy.from_event(events[-1])

    async def work(self, item: Augmentation) -> None:
        """Bring a claimed item to its end.

        Raises:
            ServiceError, HaltError: a service failed; the item is still claimed.
        """
        if item.kind == RECHECK:
            await self._recheck(item)
        elif self.by_environment:
            number = item.asked.draw * 1_000 + int(item.asked.key.rpartition("/")[2])
            made = await self.maker.make(item.source, _kind(item), number, item.asked.key)
            await self._end(item, made, FREE)
        else:
            proposal = await self._proposal(item)
            if proposal is not None:
                settled = await self.maker.settle(item.source, proposal, item.asked.key)
                await self._end(item, settled, self._teachers(settled), proposal)

    async def _proposal(self, item: Augmentation) -> Proposal | None:
        """What the policy wrote, now or before a crash; None where nothing comes of it."""
        if item.candidate is not None:
            known = {name.name for name in fields(Proposal)}
            return Proposal(**{k: v for k, v in item.candidate.items() if k in known})
        assert self.policy is not None
        proposal = await self.maker.propose(self.policy, item.source, _kind(item))
        took = self.spending.policy(proposal.prompt_tokens, proposal.completion_tokens)
        if isinstance(proposal, Discard):
            await self._discard(item, proposal, took)
            return None
        mine = await asyncio.to_thread(self.queue.propose, item, asdict(proposal), took)
        self.spending.took(took)
        return proposal if mine else None

    async def _recheck(self, item: Augmentation) -> None:
        """Ask for the answer of a doubted variant again."""
        row, hooks, teacher = item.source, self.maker.hooks, self.maker.teacher
        assert teacher is not None
        problem = hooks.augment_text(row)
        verdict = await teacher.annotate(row, problem)
        took = self._teachers(verdict)
        if isinstance(verdict, Annotation):
            made = self._answered_anew(row, problem, verdict)
            if isinstance(made, Row):
                await self._end(item, Accepted(made, verdict), took)
                return
            verdict = Discard(made)  # type: ignore[arg-type]
        await self._discard(item, verdict, took)

    def _answered_anew(self, row: Row, problem: str, verdict: Annotation) -> Row | str:
        """The row with another answer, or why there is none."""
        if not (verdict.clean and verdict.solvable and verdict.answer):
            return "unsolvable"
        if answer_key(verdict.answer) in {answer_key(one) for one in answers_of(row)}:
            return UPHELD
        made = self.maker.hooks.child(row, problem, verdict.answer)
        return "no_task" if made is None else replace(made, factor=row.factor)

    async def _end(
        self,
        item: Augmentation,
        made: Accepted | Discard,
        took: Spent,
        proposal: Proposal | None = None,
    ) -> None:
        if isinstance(made, Accepted):
            try:
                self.check(made.row)
            except Exception as error:  # whatever an environment's own code raises
                made = Discard("no_task", f"{type(error).__name__}: {error}")
        if isinstance(made, Discard):
            await self._discard(item, made, took)
            return
        provenance = self._provenance(item, made, proposal)
        await asyncio.to_thread(self.queue.accept, item, made.row, provenance, took)
        self.refusals.clear()
        self.spending.settle(item, took)

    async def _discard(self, item: Augmentation, why: Discard, took: Spent) -> None:
        if why.reason == "refused":
            self.refusals.append(why.detail)
        await asyncio.to_thread(self.queue.discard, item, why.reason, took)
        self.spending.settle(item, took)

    def _teachers(self, said: Accepted | Annotation | Discard) -> Spent:
        verdict = said.annotation if isinstance(said, Accepted) else said
        votes = verdict.votes if isinstance(verdict, Annotation) else 1
        return self.spending.teacher(verdict.prompt_tokens, verdict.completion_tokens, votes)

    def _provenance(
        self, item: Augmentation, made: Accepted, proposal: Proposal | None
    ) -> dict[str, Any]:
        verdict = made.annotation
        return {
            "parent": item.source.uid,
            "problem": self.maker.hooks.augment_text(made.row),
            "generation": item.asked.generation,
            "kind": item.kind,
            "draw": item.asked.draw,
            "policy": proposal.model if proposal else "",
            "prompt_version": proposal.prompt_version if proposal else "",
            "teacher": self.teacher,
            "teacher_model": verdict.model,
            "votes": verdict.votes,
            "agreement": verdict.agreement,
            "difficulty": verdict.difficulty,
            "time": time.time(),
        }


def _kind(item: Augmentation) -> Any:
    return item.kind


def paid_of(error: ServiceError, spending: Spending) -> Spent:
    """What a failed item took all the same."""
    return spending.teacher(error.paid.prompt, error.paid.completion, int(any(error.paid)))
