"""The whole way over HTTP, with a proposer and a teacher that are at fault in every way."""

from __future__ import annotations

from itertools import cycle, islice

from curriculum_env.augment.filters import Limits
from curriculum_env.augment.teacher.votes import Votes
from curriculum_env.testing.augmenting import INJECTIONS, ORDERED, ScriptedProposer, ScriptedTeacher
from curriculum_env.testing.policy import serve_policy
from curriculum_env.types import Row
from tests.augment.making import Made, closing, maker, other_numbers, policy, pool, truth, walk

PROPOSING = {"untagged": 0.03, "two": 0.03, "copy": 0.03, "inject": 0.08, "long": 0.02}
TEACHING = {"lie": 0.05, "broken": 0.06, "silent": 0.02, "error": 0.03, "late": 0.005}


async def play(
    proposals: int, votes: Votes, *, limits: Limits | None = None, gullible: bool = True
) -> tuple[Made, ScriptedProposer, ScriptedTeacher]:
    proposer = ScriptedProposer(faults={**PROPOSING, "error": 0.02}, vary=other_numbers)
    teacher = ScriptedTeacher(faults=TEACHING, truth=truth, gullible=gullible)
    rows = pool(40)
    with serve_policy(proposer) as at, serve_policy(teacher) as teaching:
        async with closing(maker(rows, teaching, votes, limits=limits)) as made:
            parents = islice(cycle(rows), proposals)
            return await walk(made, policy(at), parents), proposer, teacher


def obedient(made: Made) -> list[Row]:
    """Rows whose problem holds orders, or whose answer is the one that was ordered."""
    return [
        row
        for row in made.accepted
        if any(order in row.data["prompt"] for order in INJECTIONS)
        or ORDERED.fullmatch(row.data["answer"])
    ]


async def test_three_votes_keep_a_lying_teachers_labels_out() -> None:
    made, proposer, teacher = await play(250, Votes(3))
    assert len(made.accepted) + made.discarded.total() == 250
    assert len(made.accepted) > 170
    assert len(made.wrong) <= 0.012 * len(made.accepted)
    assert not obedient(made)
    assert teacher.happened["lie"] > 10
    assert made.again >= 1
    expected = {"no_problem", "tags", "same_as_parent", "steering", "too_long", "bad_reply"}
    assert expected <= made.discarded.keys()
    for reason, fault in (("no_problem", "untagged"), ("same_as_parent", "copy")):
        assert 0 < made.discarded[reason] <= proposer.happened[fault]
    assert proposer.happened["inject"] <= made.discarded["steering"] + made.discarded["tags"]


async def test_one_vote_lets_them_in() -> None:
    made, _, _ = await play(100, Votes(1))
    assert len(made.wrong) > 0.012 * len(made.accepted)


async def test_a_verdict_that_stands_in_the_problem_is_not_the_teachers() -> None:
    """Without the filter, what a teacher copies from the problem counts for nothing."""
    proposer = ScriptedProposer(faults={"inject": 1.0}, vary=other_numbers)
    teacher = ScriptedTeacher(truth=truth, gullible=False)
    teacher.say = lambda problem, fault, rng: problem  # type: ignore[method-assign]
    rows = pool(30)
    with serve_policy(proposer) as at, serve_policy(teacher) as teaching:
        limits = Limits(steering=False)
        async with closing(maker(rows, teaching, Votes(3), limits=limits)) as made:
            result = await walk(made, policy(at), rows)
    assert not result.accepted
    assert result.discarded["bad_reply"] > 10
    assert len(INJECTIONS) == 6
