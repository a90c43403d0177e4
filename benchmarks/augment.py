"""Wrong labels by the number of a teacher's votes, and what a small model's variants come to.

python benchmarks/augment.py labels --proposals 1000
python benchmarks/augment.py local --proposals 200
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from itertools import cycle, islice

from arithmetic_curriculum.taskset import ArithmeticTaskset, ArithmeticTasksetConfig

from curriculum_env.augment.maker import Accepted
from curriculum_env.augment.policy import Policy
from curriculum_env.augment.proposal import Discard, Kind
from curriculum_env.augment.teacher.votes import Votes
from curriculum_env.local import serve_policy as serve_local
from curriculum_env.types import Row
from tests.augment.test_labels import obedient, play
from tests.local.test_local_augment import made_of, maker

KINDS: tuple[Kind, ...] = ("numbers", "harder", "easier")


async def labels(proposals: int) -> None:
    """A teacher that lies 5% of the time, in each of its lies by one, breaks its JSON 6%, and is
    led astray by orders in a problem; over HTTP."""
    print("votes  accepted  wrong  share  requests to the teacher per accepted")
    for votes in (Votes(1), Votes(2), Votes(3), Votes(5)):
        made, _, teacher = await play(proposals, votes)
        accepted, wrong = len(made.accepted), len(made.wrong)
        assert not obedient(made)
        print(
            f"{votes.most:5}  {accepted:8}  {wrong:5}  {wrong / accepted:5.2%}  "
            f"{len(teacher.requests) / accepted:.2f}   {dict(made.discarded)}",
            flush=True,
        )


async def local(proposals: int) -> None:
    """SmolLM2-135M-Instruct proposes, the environment answers."""
    taskset = ArithmeticTaskset(ArithmeticTasksetConfig(size=200))
    with serve_local("smollm2", slots=2, context=768) as served:
        policy = Policy({"base_url": served.base_url}, served.model)
        for kind in KINDS:
            await proposed(taskset, policy, kind, proposals)


async def proposed(taskset: ArithmeticTaskset, policy: Policy, kind: Kind, proposals: int) -> None:
    """What becomes of variants of one kind."""
    made, turns, start = maker(taskset), asyncio.Semaphore(2), time.perf_counter()

    async def one(parent: Row) -> Accepted | Discard:
        async with turns:
            return await made_of(made, policy, parent, kind)

    parents = list(islice(cycle(taskset.rows()), proposals))
    found = await asyncio.gather(*map(one, parents))
    await made.close()
    said, moved = Counter[str](), Counter[int]()
    for parent, got in zip(parents, found, strict=True):
        if isinstance(got, Discard):
            said[got.reason] += 1
        else:
            moved[int(got.row.level) - int(parent.level)] += 1
    took = time.perf_counter() - start
    print(f"{kind}: {moved.total()} of {proposals} accepted in {took:.0f} s; {dict(said)}")
    print(f"   levels away from the parent: {dict(sorted(moved.items()))}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["labels", "local"])
    parser.add_argument("--proposals", type=int, default=400)
    options = parser.parse_args()
    run = labels if options.what == "labels" else local
    asyncio.run(run(options.proposals))


if __name__ == "__main__":
    main()
