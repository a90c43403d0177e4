"""The service over a real store and HTTP, with a policy and a teacher that are scripted."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from curriculum_env import Row
from curriculum_env.augment.build import build_service
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.policy import EVENT
from curriculum_env.augment.proposal import Proposal
from curriculum_env.augment.spending import Spending
from curriculum_env.errors import ConfigError
from curriculum_env.store import open_store
from curriculum_env.store.queue import RECHECK, STATUS, Asked, Augmentation, Spent
from curriculum_env.testing.augmenting import ScriptedProposer
from curriculum_env.testing.policy import Reply
from curriculum_env.types import content_uid
from tests.augment.making import other_numbers, policy, pool, truth
from tests.augment.serving import Solved, ask, said, serving, settings

FIXED_TIME = 1.7e9


async def test_what_is_asked_for_is_made_with_its_provenance(tmp_path: Path) -> None:
    rows = pool(12)
    with serving(f"sqlite:///{tmp_path}/c.db", rows) as (store, build, _):
        await build().drain()
        items = list(store.queue.items())
        counts = store.queue.counts()
    assert {item.state for item in items} == {"accepted"}
    for item in items:
        assert item.child is not None
        assert item.child.parent == item.source.uid
        assert item.child.data["answer"] == truth(item.child.data["prompt"])
        assert 0.75 <= item.child.factor <= 1.33
        known = item.provenance
        assert (known["policy"], known["teacher"], known["teacher_model"]) == (
            "scripted", "endpoint", "scripted",
        )  # fmt: skip
        assert (known["parent"], known["generation"], known["prompt_version"]) == (
            item.source.uid, 1, "1",
        )  # fmt: skip
        assert known["time"] > FIXED_TIME
    assert counts.spent.requests == 24
    assert counts.spent.tokens == sum(item.spent.tokens for item in items)


async def test_every_discard_is_counted(tmp_path: Path) -> None:
    proposer = ScriptedProposer(vary=other_numbers, faults={"untagged": 0.3, "copy": 0.3})
    with serving("memory://", pool(20), proposer=proposer) as (store, build, _):
        await build().drain()
        counts = store.queue.counts()
    assert counts.reasons == {
        ("discarded", "no_problem"): proposer.happened["untagged"],
        ("discarded", "same_as_parent"): proposer.happened["copy"],
    }
    assert counts.states["accepted"] == 20 - counts.states["discarded"]
    assert counts.spent.requests == 20 + counts.states["accepted"]


async def test_a_symbolic_teacher_takes_no_request() -> None:
    with serving("memory://", pool(5), Solved()) as (store, build, _):
        await build().drain()
        assert store.queue.counts().states["accepted"] == 5
        assert store.queue.counts().spent.requests == 5


async def test_an_environment_makes_variants_without_a_model() -> None:
    class Own(AugmentHooks):
        def augment_variant(self, parent: Row, kind: str, number: int) -> Row:
            return Row(f"{parent.uid}-{number}", {"prompt": f"What is {number} + 1?", "answer": 1})

    with closing(open_store("memory://")) as store:
        ask(store, pool(5))
        config = settings(proposer="environment").augment
        await build_service(store, config, Own()).drain()
        items = list(store.queue.items("accepted"))
    assert len({item.child.uid for item in items if item.child}) == 5
    assert {item.provenance["teacher_model"] for item in items} == {"environment"}


# --- limits ----------------------------------------------------------------------------------
async def test_no_budget_is_passed() -> None:
    with serving("memory://", pool(30), budget={"requests": 7}, concurrency=3) as (store, build, _):
        await build().drain()
        counts = store.queue.counts()
        assert counts.states["accepted"] >= 1
        assert counts.states["asked"] >= 20
        assert 5 <= counts.spent.requests <= 7
        assert ("waiting", "the budget is spent") in said(store)
        await build().drain()
        assert store.queue.counts().spent.requests <= 7


@pytest.mark.parametrize("limit", [{"tokens": 22_800}, {"money": 0.1796}])
async def test_tokens_and_money_end_a_little_before_their_budget(limit: dict[str, float]) -> None:
    budget = {**limit, "policy_prices": (1.0, 2.0), "teacher_prices": (1.0, 20.0)}
    with serving("memory://", pool(30), budget=budget, concurrency=3) as (store, build, _):
        await build().drain()
        counts = store.queue.counts()
        assert 3 <= counts.states["accepted"] <= 12
        assert counts.spent.tokens == 18 * counts.states["accepted"]
        assert counts.spent.money == pytest.approx(38e-6 * counts.states["accepted"])
        assert ("waiting", "the budget is spent") in said(store)


@pytest.mark.parametrize(("limit", "most"), [({"tokens": 30_000}, 1), ({"money": 0.5}, 2)])
def test_what_is_in_flight_is_set_aside(limit: dict[str, float], most: int) -> None:
    teacher = {"type": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "m", "votes": 1}
    budget = {**limit, "teacher_prices": (1.0, 20.0)}
    spending = Spending(settings(budget=budget, teacher={**teacher, "max_tokens": 5000}).augment)
    first, second, third = (
        Augmentation(n, Asked(str(n), "numbers", n, row)) for n, row in enumerate(pool(3))
    )
    assert [spending.reserve(item) for item in (first, second)] == [True, most == 2]
    assert not spending.reserve(third)
    spending.settle(first, spending.teacher(10, 10))
    assert spending.reserve(third)
    assert spending.spent == Spent(1, 20, 0.00021)


async def test_it_waits_while_the_pool_takes_no_more() -> None:
    with serving("memory://", pool(12), Solved(), backlog=4, concurrency=2) as (store, build, _):
        service = build()
        await service.drain()
        assert 4 <= store.queue.counts().states["accepted"] <= 5
        assert ("waiting", "the pool takes no more tasks now") in said(store)
        store.queue.insert([item.id for item in store.queue.accepted()])
        await build().drain()
        assert store.queue.counts().states["accepted"] >= 4


async def test_it_waits_for_the_first_rollout() -> None:
    with closing(open_store("memory://")) as store:
        ask(store, pool(3))
        await build_service(store, settings().augment, Solved()).drain()
        assert said(store)[1:] == [
            ("waiting", "no rollout has told yet where the policy answers"), ("stopped", ""),
        ]  # fmt: skip
        assert store.queue.open_count() == 3


# --- trouble ---------------------------------------------------------------------------------
async def test_a_teacher_that_is_down_is_left_alone_and_told_of() -> None:
    with serving("memory://", pool(8)) as (store, _, proposer):
        nobody = {"type": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "none"}
        config = settings(teacher=nobody, concurrency=2).augment
        service = build_service(store, config, AugmentHooks())
        await service.drain()
        assert service.health.down
        assert said(store)[-2] == (
            "down", "none at http://127.0.0.1:9/v1: no connection (All connection attempts failed)"
        )  # fmt: skip
        counts = store.queue.counts()
        assert (counts.open, counts.states["discarded"]) == (8, 0)
        assert len(proposer.requests) <= 4
        await service.drain()
        assert len(proposer.requests) <= 4


async def test_an_item_that_fails_alone_is_given_up() -> None:
    poisoned, *others = pool(6)

    class Failing(ScriptedProposer):
        def respond(self, request: dict[str, Any]) -> Reply:
            if poisoned.data["prompt"] in request["messages"][-1]["content"]:
                return Reply(400 + 9, "{}")
            return super().respond(request)

    proposer = Failing(vary=other_numbers)
    with serving(
        "memory://", [poisoned, *others], Solved(), proposer=proposer, concurrency=1, tries=2
    ) as (store, build, _):
        await build().drain()
        counts = store.queue.counts()
    assert counts.reasons == {("discarded", "gave_up"): 1}
    assert counts.states["accepted"] == 5


async def test_a_wrong_key_is_no_fault_of_the_items() -> None:
    class Locked(ScriptedProposer):
        def respond(self, request: dict[str, Any]) -> Reply:
            return Reply(401, json.dumps({"error": {"message": "who are you"}}))

    with serving("memory://", pool(4), Solved(), proposer=Locked()) as (store, build, _):
        await build().drain()
        assert store.queue.open_count() == 4
        state, reason = said(store)[-2]
        assert state == "down"
        assert "HTTP 401" in reason


async def test_a_service_that_refuses_everything_is_down() -> None:
    class Picky(ScriptedProposer):
        def respond(self, request: dict[str, Any]) -> Reply:
            return Reply(400, json.dumps({"error": {"message": "no such parameter"}}))

    with serving("memory://", pool(40), Solved(), proposer=Picky()) as (store, build, _):
        await build().drain()
        counts = store.queue.counts()
        assert 8 <= counts.reasons["discarded", "refused"] <= 8 + 4
        assert counts.open >= 28
        state, reason = said(store)[-2]
        assert (state, "no such parameter" in reason) == ("down", True)


async def test_an_environment_that_fails_costs_the_item_and_nothing_else() -> None:
    class Broken(Solved):
        def augment_prompt(self, parent: Row, kind: str) -> str:
            raise RuntimeError("scripted")

    with serving("memory://", pool(3), Broken()) as (store, build, _):
        await build().drain()
        assert store.queue.counts().reasons == {("discarded", "failed"): 3}


async def test_a_paid_proposal_outlives_whoever_paid() -> None:
    rows = pool(4)
    with serving("memory://", rows, Solved()) as (store, build, proposer):
        dead = store.queue.claim("dead", 4, 60.0)
        for item in dead:
            text = other_numbers(item.source.data["prompt"], random.Random(item.id))
            proposal = Proposal(item.source.uid, "numbers", text, model="earlier")
            assert store.queue.propose(item, asdict(proposal), Spent(1, 10))
        store.queue.renew("dead", [item.id for item in dead], -1.0)
        await build().drain()
        assert not proposer.requests
        assert {item.provenance["policy"] for item in store.queue.items("accepted")} == {"earlier"}
        assert store.queue.counts().spent == Spent(4, 40)


async def test_a_doubted_answer_is_asked_for_again() -> None:
    right, wrong = pool(2)
    data = {**wrong.data, "answer": "7"}
    wrong = replace(wrong, uid=content_uid(data), data=data, parent="seed", factor=1.2)
    with closing(open_store("memory://")) as store:
        store.log_event(EVENT, policy("http://127.0.0.1:9/v1").event())
        store.queue.ask(
            [Asked(f"recheck/{n}", RECHECK, n, row) for n, row in enumerate((right, wrong))]
        )
        await build_service(store, settings().augment, Solved()).drain()
        upheld, corrected = store.queue.items()
    assert (upheld.state, upheld.reason) == ("discarded", "upheld")
    assert corrected.child is not None
    assert corrected.child.data["answer"] == truth(wrong.data["prompt"])
    assert corrected.child.factor == 1.2
    assert corrected.child.uid != wrong.uid


async def test_settings_that_the_environment_cannot_serve_are_refused() -> None:
    with closing(open_store("memory://")) as store:
        with pytest.raises(ConfigError, match="has no symbolic teacher: set it to 'endpoint'"):
            build_service(store, settings().augment, AugmentHooks())
        with pytest.raises(ConfigError, match="makes no variants itself: set it to 'policy'"):
            build_service(store, settings(proposer="environment").augment, Solved())


async def test_a_service_gives_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curriculum_env.augment.service.SIGN_SECONDS", 0.0)
    with closing(open_store("memory://")) as store:
        service = build_service(store, settings().augment, Solved(), pool=lambda: pool(40))
        await service.drain()
        events = store.events(STATUS)
    states = [(event["state"], event["reason"]) for event in events]
    assert states.count(("waiting", "the rows of the pool are being read")) > 2
    assert {event["name"] for event in events} == {service.name}


# --- services beside each other ----------------------------------------------------------------
async def test_two_services_keep_within_one_budget(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/c.db"
    with serving(url, pool(30), budget={"requests": 21}, concurrency=8) as (store, build, writes):
        services = [build(), build()]
        await asyncio.gather(*(service.drain() for service in services))
        assert 15 <= store.queue.counts().spent.requests <= 21
        assert len(writes.requests) <= 21


async def test_a_later_service_knows_what_earlier_ones_made(tmp_path: Path) -> None:
    url, rows = f"sqlite:///{tmp_path}/c.db", pool(2)
    with serving(url, rows, Solved()) as (store, build, _):
        await build().drain()
        assert store.queue.counts().states["accepted"] == 2
        later = build()
        await later.drain()
        for made in store.queue.made(0.0):
            again = Proposal(rows[0].uid, "numbers", made.data["prompt"] + " ")
            found = later.worker.maker.filters.problem(rows[0], "numbers", again.problem)
            assert found is not None
            assert found.reason == "duplicate"
