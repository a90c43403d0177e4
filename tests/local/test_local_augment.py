"""A real model proposes variants of arithmetic tasks, and the environment answers them."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import islice

from arithmetic_curriculum.expression import evaluate
from arithmetic_curriculum.reading import parse
from arithmetic_curriculum.taskset import ArithmeticTaskset, ArithmeticTasksetConfig

from curriculum_env.augment.evaluation import Evaluation
from curriculum_env.augment.filters import Filters
from curriculum_env.augment.maker import Accepted, Maker
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.proposal import Discard, Kind
from curriculum_env.augment.proposer import Proposer
from curriculum_env.augment.teacher import SymbolicTeacher
from curriculum_env.local import serve_policy
from curriculum_env.types import Row
from tests.local.test_policy import needs_model

SAMPLING = {"temperature": 0.7, "max_tokens": 64}


def maker(taskset: ArithmeticTaskset) -> Maker:
    filters = Filters(taskset, Evaluation.of(taskset, taskset.heldout_rows()))
    filters.add(taskset.rows())
    proposer = Proposer(taskset, sampling=SAMPLING)
    return Maker(taskset, filters, proposer, SymbolicTeacher(taskset.teacher()))


async def made_of(
    made: Maker, policy: Policy, parent: Row, kind: Kind = "numbers"
) -> Accepted | Discard:
    proposal = await made.propose(policy, parent, kind)
    return proposal if isinstance(proposal, Discard) else await made.settle(parent, proposal)


@needs_model
async def test_a_small_model_writes_tasks_that_are_let_in() -> None:
    taskset = ArithmeticTaskset(ArithmeticTasksetConfig(size=60, levels=[2, 3, 4]))
    made = maker(taskset)
    with serve_policy("smollm2", slots=2, context=768) as served:
        policy = Policy({"base_url": served.base_url}, served.model)
        turns = asyncio.Semaphore(2)

        async def one(parent: Row) -> Accepted | Discard:
            async with turns:
                return await made_of(made, policy, parent)

        found = await asyncio.gather(*(one(parent) for parent in islice(taskset.rows(), 20)))
        await made.close()
    reasons = Counter(one.reason for one in found if isinstance(one, Discard))
    rows = [one.row for one in found if isinstance(one, Accepted)]
    print(f"\n{len(rows)} of {len(found)} accepted; {dict(reasons)}")
    assert rows
    for row in rows:
        expression = parse(row.data["expression"])
        assert expression is not None
        assert row.data["answer"] == evaluate(expression)
