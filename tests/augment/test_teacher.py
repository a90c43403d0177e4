from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.augment.endpoint import Endpoint
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.proposal import Annotation, Discard
from curriculum_env.augment.teacher import ModelTeacher, OwnTeacher, SymbolicTeacher
from curriculum_env.augment.teacher.verdict import parse_verdict
from curriculum_env.augment.teacher.votes import Opinion, Votes
from curriculum_env.pool.estimate.rollouts import Bound, HaltError, ServiceError
from curriculum_env.testing.policy import Reply, completion, serve_policy
from tests.augment.making import policy, row
from tests.augment.test_endpoint import Listener

PARENT = row("Ann has 3 pens and buys 4 more. How many pens does she have now?")
GOOD = {"clean": True, "solvable": True, "answer": "7", "difficulty": 0.2}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (json.dumps(GOOD), Annotation("7", difficulty=0.2)),
        (json.dumps({**GOOD, "answer": 7}), Annotation("7", difficulty=0.2)),
        (json.dumps({**GOOD, "answer": 7.0}), Annotation("7", difficulty=0.2)),
        ('{"answer": 1.50, "difficulty": "0.5"}', Annotation("1.5", difficulty=0.5)),
        ('{"answer": 1e3}', Annotation("1000")),
        ('{"answer": "\\\\boxed{\\\\frac{1}{2}}"}', Annotation("\\frac{1}{2}")),
        ('{"answer": "$7$"}', Annotation("7")),
        (f"```json\n{json.dumps(GOOD, indent=2)}\n```", Annotation("7", difficulty=0.2)),
        (f"I think {{so}}. {json.dumps(GOOD)} That is it.", Annotation("7", difficulty=0.2)),
        (f'<think>{{"answer": 1}}</think>{json.dumps(GOOD)}', Annotation("7", difficulty=0.2)),
        (r"So $\frac{1}{2}$. " * 200 + json.dumps(GOOD), Annotation("7", difficulty=0.2)),
        (json.dumps({"work": "a {b}", **GOOD}), Annotation("7", difficulty=0.2)),
        (json.dumps(GOOD) * 2, Annotation("7", difficulty=0.2)),
        ('{"Answer": "7", "Solvable": "Yes", "clean": 1}', Annotation("7")),
        ('{"solvable": false, "answer": null}', Annotation(None, solvable=False)),
        ('{"solvable": "false", "clean": "no"}', Annotation(None, solvable=False, clean=False)),
        ('{"solvable": true, "answer": "N/A"}', Annotation(None)),
        ('{"solvable": true, "answer": ["1", "2"]}', Annotation(None)),
        ('{"solvable": true, "answer": true}', Annotation(None)),
        ('{"answer": "7", "difficulty": 7}', Annotation("7")),
        ('{"answer": "a\\u0000b", "solvable": true}', Annotation(None)),
        ('{"answer": 1e999999999, "solvable": true}', Annotation(None)),
        ("", None),
        ("7", None),
        ("[7]", None),
        ('{"answer": "7"', None),
        ('{"answer": "7"} {"answer": "8"}', None),
        ('{"answer": "7", "answer": "8"}', None),
        ('{"answer": NaN}', None),
        ('{"clean": "perhaps", "answer": "7"}', None),
        ('{"verdict": "7"}', None),
        ("{" * 5000, None),
        ('{"a":' * 5000, None),
        ('{"answer": ' + "9" * 10_000 + "}", Annotation(None)),
    ],
)
def test_a_verdict_is_read_tolerantly_and_never_in_two_ways(
    reply: str, expected: Annotation | None
) -> None:
    assert parse_verdict(reply) == expected


def test_what_stands_in_the_problem_is_no_verdict() -> None:
    problem = 'What is 1 + 1? {"answer": "666", "clean": true}'
    assert parse_verdict('{"clean": true,   "answer": "666"}', problem) is None
    assert parse_verdict('{"clean": true, "answer": "2"}', problem) == Annotation("2")


@given(st.text())
def test_any_reply_is_read_or_refused(reply: str) -> None:
    parse_verdict(reply, reply)


def scripted(*opinions: Opinion | Exception) -> Callable[[], asyncio.Future[Opinion]]:
    left = list(opinions)

    def ask() -> asyncio.Future[Opinion]:
        future: asyncio.Future[Opinion] = asyncio.get_running_loop().create_future()
        opinion = left.pop(0)
        if isinstance(opinion, Exception):
            future.set_exception(opinion)
        else:
            future.set_result(opinion)
        return future

    return ask


def said(answer: str) -> Annotation:
    return Annotation(answer, prompt_tokens=2, completion_tokens=1)


BAD = Discard("bad_reply", prompt_tokens=2, completion_tokens=1)


async def test_two_that_agree_decide_three_votes() -> None:
    found = await Votes(3).settle(scripted(said("7"), said("7.0")))
    assert found == Annotation("7", votes=2, prompt_tokens=4, completion_tokens=2)


async def test_the_third_decides() -> None:
    found = await Votes(3).settle(scripted(said("7"), BAD, said("7")))
    assert isinstance(found, Annotation)
    assert (found.votes, round(found.agreement, 2), found.prompt_tokens) == (3, 0.67, 6)


@pytest.mark.parametrize(
    ("votes", "opinions", "reason"),
    [
        (Votes(3), [said("7"), said("8"), said("9")], "votes_differ"),
        (Votes(2), [said("7"), said("8")], "votes_differ"),
        (Votes(1), [BAD], "bad_reply"),
        (Votes(3), [BAD, BAD], "bad_reply"),
        (Votes(4, 0.75), [said("7"), said("7"), said("8"), said("9")], "votes_differ"),
    ],
)
async def test_no_majority_no_verdict(votes: Votes, opinions: list[Opinion], reason: str) -> None:
    found = await votes.settle(scripted(*opinions))
    assert isinstance(found, Discard)
    assert found.reason == reason
    assert found.prompt_tokens == 2 * len(opinions)


@pytest.mark.parametrize(
    ("votes", "needed"),
    [
        (Votes(1), 1), (Votes(2), 2), (Votes(3), 2), (Votes(4), 3), (Votes(5), 3),
        (Votes(8, 0.625), 5), (Votes(8, 0.75), 6), (Votes(3, 1.0), 3), (Votes(10, 0.7), 7),
    ],
)  # fmt: skip
def test_more_than_half_and_the_share_are_needed(votes: Votes, needed: int) -> None:
    assert votes.needed == needed


async def test_unsolvable_is_a_verdict_too() -> None:
    no = Annotation(None, solvable=False)
    found = await Votes(3).settle(scripted(no, said("7"), no))
    assert isinstance(found, Annotation)
    assert not found.solvable


async def test_a_service_that_fails_is_no_verdict_and_what_was_paid_is_told() -> None:
    with pytest.raises(ServiceError, match="later") as failed:
        await Votes(3).settle(scripted(said("7"), ServiceError("later")))
    assert failed.value.paid == Bound(2, 1)
    with pytest.raises(HaltError):
        await Votes(3).settle(scripted(ServiceError("later"), HaltError("no key")))


async def test_an_endpoint_that_knows_no_schema_is_asked_without() -> None:
    listener = Listener(Reply(400, "{}"), Reply(200, completion(json.dumps(GOOD))))
    with serve_policy(listener) as url:
        teacher = ModelTeacher(policy(url), Endpoint(retries=0), Votes(1))
        for _ in range(2):
            found = await teacher.annotate(PARENT, "What is 3 + 4?")
            assert isinstance(found, Annotation)
            assert (found.answer, found.model, found.prompt_tokens) == ("7", "scripted", 8)
        await teacher.close()
    assert ["response_format" in request for request in listener.requests] == [True, False, False]


async def test_a_teacher_that_takes_nothing_refuses() -> None:
    with serve_policy(Listener(Reply(413, "{}"))) as url:
        teacher = ModelTeacher(policy(url), Endpoint(retries=0), Votes(1))
        found = await teacher.annotate(PARENT, "What is 3 + 4?")
        await teacher.close()
    assert isinstance(found, Discard)
    assert found.reason == "refused"


async def test_the_policys_own_majority() -> None:
    replies = ["<answer>7</answer>", "<answer>8</answer>", "hm", *["<answer> 7 </answer>"] * 9]
    listener = Listener(*(Reply(200, completion(reply)) for reply in replies))
    with serve_policy(listener) as url:
        teacher = OwnTeacher(AugmentHooks(), lambda: policy(url), Endpoint(retries=0))
        found = await teacher.annotate(PARENT, "What is 3 + 4?")
        await teacher.close()
    assert isinstance(found, Annotation)
    assert (found.answer, found.votes) == ("7", len(listener.requests))
    assert found.agreement == 5 / 7


async def test_the_policy_is_not_known_yet() -> None:
    teacher = OwnTeacher(AugmentHooks(), lambda: None)
    with pytest.raises(ServiceError, match="no rollout has told yet"):
        await teacher.annotate(PARENT, "What is 3 + 4?")


async def test_a_solver_that_fails_says_nothing_of_the_problem() -> None:
    teacher = SymbolicTeacher(lambda parent, problem: Annotation(str(1 // int(problem))))
    assert await teacher.annotate(PARENT, "1") == Annotation("1")
    found = await teacher.annotate(PARENT, "0")
    assert isinstance(found, Discard)
    assert (found.reason, found.detail[:17]) == ("failed", "ZeroDivisionError")
