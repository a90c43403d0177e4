"""A client that draws and a service that makes variants, each in a process that may be killed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from curriculum_env.augment.build import build_service
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.augment.proposal import Annotation
from curriculum_env.augment.service import AugmentService
from curriculum_env.store import Store, open_store
from tests.augment.making import pool, truth

SEEDS = 30
LEASE = 0.5
CONCURRENCY = 3


class Solved(AugmentHooks):
    """Word problems whose answers are computed."""

    def teacher(self) -> Callable[[Row, str], Annotation]:
        return lambda parent, problem: Annotation(truth(problem))


def settings() -> CurriculumConfig:
    augment = {"enabled": True, "pool_share": 0.9, "fan_out": 40, "family": 400, "backlog": 24,
               "concurrency": CONCURRENCY, "generations": 9}  # fmt: skip
    return CurriculumConfig.model_validate({"group_size": 4, "augment": augment})


def opened(url: str) -> Curriculum:
    return Curriculum(pool(SEEDS), settings(), url)


def served(store: Store) -> AugmentService:
    service = build_service(store, settings().augment, Solved(), pool=lambda: pool(SEEDS))
    service.lease = LEASE
    return service


def draw(url: str, folder: str) -> None:
    """Draw for ever, and keep a diary of it."""
    logging.disable(logging.WARNING)
    with opened(url) as curriculum, (Path(folder) / "drawn").open("a", buffering=1) as diary:
        logged = sum(1 for _ in curriculum.store.draws())
        while True:
            drawn = curriculum.ask()
            if drawn.number < logged - 4:  # a replay: what was in flight at the end is played again
                continue
            diary.write(f"{drawn.number} {drawn.uid}\n")
            for i, reward in enumerate((0.0, 1.0, 1.0, 0.0)):
                curriculum.tell(Outcome(drawn.number, drawn.uid, f"{drawn.number}-{i}", reward))
            time.sleep(0.02)


def make(url: str) -> None:
    """Make variants for ever."""
    asyncio.run(served(open_store(url)).run())
