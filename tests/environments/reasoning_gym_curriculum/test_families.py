"""Every family of reasoning-gym, with its own answers and with wrong ones."""

from __future__ import annotations

import os

import pytest
from reasoning_gym_curriculum import child
from reasoning_gym_curriculum.confined import Made
from reasoning_gym_curriculum.families import (
    LEVELS,
    REFUSED,
    STEPS,
    WITHOUT_ANSWER,
    families,
    levels,
)

WRONG = ("definitely wrong", "-7919", "[]", "")
FEW = 2
ALL_LEVELS = "CURRICULUM_ALL_LEVELS" in os.environ
MANY = 12


def test_every_family_is_used_or_refused_with_a_reason() -> None:
    from reasoning_gym.factory import DATASETS

    assert {*families(), *REFUSED} == DATASETS.keys()
    assert all(REFUSED.values())
    assert all(WITHOUT_ANSWER.values())
    assert WITHOUT_ANSWER.keys() | STEPS.keys() <= {*families()}
    assert len(families()) >= 100


def some(family: str, level: int) -> list[Made]:
    """A few sound tasks of a level."""
    found: list[Made] = []
    for start in range(0, MANY, FEW):
        found += child.make(family, level, 0, start, FEW)
        if found:
            return found
    return found


@pytest.mark.parametrize("family", families())
async def test_a_family_pays_its_own_answer_1_and_a_wrong_one_less(family: str) -> None:
    """At its first level; `CURRICULUM_ALL_LEVELS=1` for all of them."""
    for level in levels(family) if ALL_LEVELS else [min(levels(family))]:
        tasks = some(family, level)
        assert tasks, f"level {level} has no sound task among {MANY}"
        for task in tasks:
            where = (family, level, 0, task.number)
            assert (task.answer is None) == (family in WITHOUT_ANSWER)
            if task.answer is not None:
                assert await child.score(where, task.question, task.answer) == 1.0
            for answer in WRONG:
                earned = await child.score(where, task.question, answer)
                assert earned is not None
                assert earned < 1.0


def test_the_levels_of_a_family_differ_and_count_from_1() -> None:
    for family in families():
        found = levels(family)
        assert tuple(found) == LEVELS[: len(found)]
        settings = [setting.arguments for setting in found.values()]
        assert all(setting not in settings[:place] for place, setting in enumerate(settings)), (
            family
        )


def test_a_scorer_that_cannot_tell_is_why_a_family_is_refused() -> None:
    """`game_of_life_halting` takes a wrong answer for a right one."""
    from reasoning_gym.factory import create_dataset

    tasks = create_dataset("game_of_life_halting", seed=0, size=10)
    (task, *_) = [task for task in tasks if task["answer"] == "False"]
    assert tasks.score_answer("True", task) == 1.0
