"""The service over a real store and HTTP, with a policy and a teacher that are scripted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from curriculum_env import Curriculum, CurriculumConfig, Draw, Outcome, Row
from curriculum_env.augment.build import build_service
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.policy import EVENT
from curriculum_env.augment.proposal import Annotation
from curriculum_env.augment.service import STATUS, AugmentService
from curriculum_env.augment.thread import ServiceThread
from curriculum_env.errors import ConfigError
from curriculum_env.store import Store, open_store
from curriculum_env.store.queue import Asked
from curriculum_env.testing.augmenting import ScriptedProposer, ScriptedTeacher
from curriculum_env.testing.policy import serve_policy
from tests.augment.making import other_numbers, policy, pool, truth

FIXED_TIME = 1.7e9


class Solved(AugmentHooks):
    """Word problems with a symbolic teacher, and variants of their own."""

    def teacher(self) -> Callable[[Row, str], Annotation]:
        return lambda parent, problem: Annotation(truth(problem))


def settings(**augment: Any) -> CurriculumConfig:
    return CurriculumConfig.model_validate(
        {"group_size": 4, "augment": {"enabled": True, "pool_share": 0.9, **augment}}
    )


def ask(store: Store, rows: list[Row]) -> None:
    store.queue.ask([Asked(f"{n}/numbers/0", "numbers", n, row) for n, row in enumerate(rows)])


@contextmanager
def serving(
    store_url: str,
    rows: list[Row],
    hooks: AugmentHooks | None = None,
    teacher: ScriptedTeacher | None = None,
    proposer: ScriptedProposer | None = None,
    **augment: Any,
) -> Iterator[tuple[Store, Callable[[], AugmentService], ScriptedProposer]]:
    """A store that asks for a variant of each row, and what makes a service of it."""
    writes = proposer or ScriptedProposer(vary=other_numbers)
    teaches = teacher or ScriptedTeacher(truth=truth)
    with (
        closing(open_store(store_url)) as store,
        serve_policy(writes) as at,
        serve_policy(teaches) as teaching,
    ):
        store.log_event(EVENT, policy(at).event())
        ask(store, rows)
        if hooks is None:
            augment["teacher"] = {"type": "endpoint", "base_url": teaching, "model": "scripted",
                                  **augment.get("teacher", {})}  # fmt: skip
        config = settings(**augment).augment

        def build() -> AugmentService:
            return build_service(store, config, hooks or AugmentHooks(), pool=lambda: rows)

        yield store, build, writes


def said(store: Store) -> list[tuple[str, str]]:
    return [(event["state"], event["reason"]) for event in store.events(STATUS)]


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

    with (
        serving("memory://", pool(5), Own(), proposer_=0)
        if False
        else serving("memory://", pool(5), Own()) as (store, _, _)
    ):
        config = settings(proposer="environment").augment
        await build_service(store, config, Own()).drain()
        items = list(store.queue.items("accepted"))
    assert len({item.child.uid for item in items if item.child}) == 5
    assert {item.provenance["teacher_model"] for item in items} == {"environment"}


# --- limits ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("budget", "most"),
    [({"requests": 7}, 7), ({"tokens": 60_000}, 60_000), ({"money": 0.5}, 0.5)],
    ids=lambda value: str(value),
)
async def test_no_budget_is_passed(budget: dict[str, float], most: float) -> None:
    budget = {**budget, "teacher_prices": (1.0, 50.0)}
    with serving("memory://", pool(30), budget=budget, teacher={"max_tokens": 4000},
                 proposal_tokens=100, concurrency=3) as (store, build, _):  # fmt: skip
        service = build()
        await service.drain()
        spent = store.queue.counts().spent
        states = store.queue.counts().states
    assert states["accepted"] >= 1
    assert states["asked"] >= 1
    assert spent._asdict()[next(iter(budget))] <= most
    assert ("waiting", "the budget is spent") in service_said(service)


def service_said(service: AugmentService) -> list[tuple[str, str]]:
    return said(service.store)


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
async def test_a_teacher_that_is_down_is_left_alone_and_told_of(tmp_path: Path) -> None:
    rows = pool(8)
    with serving(f"sqlite:///{tmp_path}/c.db", rows, teacher=None, timeout=0.5) as (
        store,
        _,
        writes,
    ):
        nobody = {"type": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "none"}
        config = settings(teacher=nobody, timeout=0.5, concurrency=2).augment
        service = build_service(store, config, AugmentHooks())
        running = asyncio.create_task(service.run())
        await asyncio.sleep(12.0)
        service.stop()
        await running
        counts = store.queue.counts()
    states = [state for state, _ in said(store_again(tmp_path))]
    assert "down" in states
    assert counts.open == 8
    assert counts.states["discarded"] == 0
    assert writes.calls <= 8


def store_again(folder: Path) -> Store:
    return open_store(f"sqlite:///{folder}/c.db")
