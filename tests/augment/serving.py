"""The service over a store and HTTP, as its tests begin it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from curriculum_env import CurriculumConfig, Row
from curriculum_env.augment.build import build_service
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.policy import EVENT
from curriculum_env.augment.proposal import Annotation
from curriculum_env.augment.service import AugmentService
from curriculum_env.store import Store, open_store
from curriculum_env.store.queue import STATUS, Asked
from curriculum_env.testing.augmenting import ScriptedProposer, ScriptedTeacher
from curriculum_env.testing.policy import serve_policy
from tests.augment.making import other_numbers, policy, truth


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
    url: str,
    rows: list[Row],
    hooks: AugmentHooks | None = None,
    proposer: ScriptedProposer | None = None,
    **augment: Any,
) -> Iterator[tuple[Store, Callable[[], AugmentService], ScriptedProposer]]:
    """A store that asks for a variant of each row, and what makes a service of it; without `hooks`
    a model answers."""
    writes = proposer or ScriptedProposer(vary=other_numbers)
    with (
        closing(open_store(url)) as store,
        serve_policy(writes) as at,
        serve_policy(ScriptedTeacher(truth=truth)) as teaching,
    ):
        store.log_event(EVENT, policy(at).event())
        ask(store, rows)
        if hooks is None:
            teacher = {"type": "endpoint", "base_url": teaching, "model": "scripted", "votes": 1}
            augment["teacher"] = {**teacher, **augment.get("teacher", {})}
        config = settings(**augment).augment

        def build() -> AugmentService:
            return build_service(store, config, hooks or AugmentHooks(), pool=lambda: rows)

        yield store, build, writes


def said(store: Store) -> list[tuple[str, str]]:
    return [(event["state"], event["reason"]) for event in store.events(STATUS)]
