"""A small curriculum that asks for variants, and the service that makes them, played here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from curriculum_env import Curriculum, CurriculumConfig, Draw, Row
from curriculum_env.store.queue import Augmentation
from tests.engine.helpers import outcomes

MIXED, SOLVED, FAILED = [0.0, 1.0] * 2, [1.0] * 4, [0.0] * 4


def seeds(count: int = 20) -> list[Row]:
    return [Row(f"seed-{i}", {"prompt": str(i)}, "d", str(i % 2)) for i in range(count)]


def augmented(
    store: str = "memory://", rows: Sequence[Row] | None = None, **augment: Any
) -> Curriculum:
    settings = {"enabled": True, "pool_share": 0.5, **augment}
    config = CurriculumConfig.model_validate(
        {"group_size": 4, "cooldown": 2, "augment": settings, "sampler": {"type": "uniform"}}
    )
    return Curriculum(rows or seeds(), config, store)


def child_of(item: Augmentation) -> Row:
    return Row(f"variant-{item.id}", {"prompt": f"{item.id}"}, "d", "0", factor=1.25)


def serve(curriculum: Curriculum, make: Callable[[Augmentation], Row | None] = child_of) -> int:
    """Play the service for what is asked for now; returns how many items there were."""
    served = 0
    while items := curriculum.store.queue.claim("service", 8, 60.0):
        for item in items:
            row = make(item)
            if row is None:
                assert curriculum.store.queue.discard(item, "unsolvable")
            else:
                assert curriculum.store.queue.accept(item, row)
            served += 1
    return served


def play(
    curriculum: Curriculum,
    draws: int,
    rewards: Callable[[Draw], Sequence[float]] = lambda draw: MIXED,
    *,
    serving: bool = True,
) -> list[Draw]:
    drawn = []
    for _ in range(draws):
        drawn.append(curriculum.ask())
        for outcome in outcomes(drawn[-1], rewards(drawn[-1])):
            curriculum.tell(outcome)
        curriculum.sync(5.0)
        if serving:
            serve(curriculum)
    return drawn


def variants(curriculum: Curriculum) -> list[Row]:
    return [row for row in curriculum.rows if row.parent]


def noisy(draw: Draw) -> list[float]:
    """Seeds are easy, and alive; variants are never solved."""
    return FAILED if draw.uid.startswith("variant") else [1.0, 1.0, 1.0, 0.0]
