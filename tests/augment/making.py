"""Word problems whose answer is the sum of their numbers, and the parts that make variants."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from curriculum_env.augment.endpoint import Endpoint
from curriculum_env.augment.evaluation import Evaluation
from curriculum_env.augment.filters import Filters, Limits
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.maker import Accepted, Maker
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.proposal import Discard, Proposal
from curriculum_env.augment.proposer import Proposer
from curriculum_env.augment.teacher import ModelTeacher
from curriculum_env.augment.teacher.votes import Votes
from curriculum_env.pool.estimate.rollouts import ServiceError
from curriculum_env.types import Row, content_uid

STORIES = (
    "Ann has {} pens in her bag and buys {} more at the shop. How many pens does she have now?",
    "A farmer picks {} apples before lunch and {} apples after it. How many apples is that?",
    "On Monday {} people visit the museum, on Tuesday {}. How many people visit it in both days?",
    "A train carries {} travellers; at the next station {} get on. How many travellers ride on?",
    "Tom reads {} pages of his novel today and {} tomorrow. How many pages does he read in all?",
)


def truth(problem: str) -> str:
    return str(sum(map(int, re.findall(r"\d+", problem))))


def other_numbers(problem: str, rng: random.Random) -> str:
    return re.sub(r"\d+", lambda found: str(rng.randrange(10, 1000)), problem)


def row(prompt: str, **settings: Any) -> Row:
    data = {"prompt": prompt, "answer": truth(prompt)}
    return Row(content_uid(data), data, **settings)


def pool(size: int, seed: int = 0) -> list[Row]:
    rng = random.Random(seed)
    drawn: dict[str, Row] = {}
    while len(drawn) < size:
        made = row(rng.choice(STORIES).format(rng.randrange(10, 1000), rng.randrange(10, 1000)))
        drawn[made.uid] = made
    return list(drawn.values())


def policy(url: str, **settings: Any) -> Policy:
    return Policy({"base_url": url}, "scripted", **settings)


@dataclass
class Made:
    """What became of proposals."""

    accepted: list[Row] = field(default_factory=list)
    discarded: Counter[str] = field(default_factory=Counter)
    again: int = 0
    tokens: int = 0

    @property
    def wrong(self) -> list[Row]:
        return [one for one in self.accepted if one.data["answer"] != truth(one.data["prompt"])]

    def take(self, found: Accepted | Proposal | Discard) -> None:
        if isinstance(found, Discard):
            self.discarded[found.reason] += 1
            self.tokens += found.prompt_tokens + found.completion_tokens
        elif isinstance(found, Accepted):
            self.accepted.append(found.row)
            self.tokens += found.annotation.prompt_tokens + found.annotation.completion_tokens


def maker(
    rows: Sequence[Row],
    teacher_url: str,
    votes: Votes,
    *,
    held_out: Sequence[Row] = (),
    limits: Limits | None = None,
    timeout: float = 2.0,
    retries: int = 0,
) -> Maker:
    hooks = AugmentHooks()
    filters = Filters(hooks, Evaluation.of(hooks, held_out), limits or Limits())
    filters.add(rows)
    ends = [Endpoint(timeout=timeout, retries=retries) for _ in range(2)]
    teacher = ModelTeacher(policy(teacher_url), ends[0], votes)
    return Maker(hooks, filters, Proposer(hooks, ends[1]), teacher)


async def walk(made: Maker, asked: Policy, parents: Iterable[Row], tries: int = 3) -> Made:
    """Take each parent through all stages, eight at a time; a stage in which a service failed is
    gone through `tries` times."""
    result, turns = Made(), asyncio.Semaphore(8)

    async def one(number: int, parent: Row) -> None:
        async with turns:
            proposal = await _tried(result, tries, partial(made.propose, asked, parent, "numbers"))
            if isinstance(proposal, Proposal):
                await _tried(result, tries, partial(made.settle, parent, proposal, str(number)))

    await asyncio.gather(*(one(number, parent) for number, parent in enumerate(parents)))
    return result


async def _tried(result: Made, tries: int, stage: Any) -> Any:
    for _ in range(tries):
        try:
            found = await stage()
        except ServiceError:
            result.again += 1
            continue
        result.take(found)
        return found
    result.take(Discard("gave_up"))
    return None


@asynccontextmanager
async def closing(made: Maker) -> AsyncIterator[Maker]:
    try:
        yield made
    finally:
        await made.close()
