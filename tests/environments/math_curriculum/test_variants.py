from __future__ import annotations

import random

import pytest
from math_curriculum.taskset import MathTaskset, MathTasksetConfig

from curriculum_env.augment.evaluation import Evaluation
from curriculum_env.augment.filters import Filters
from curriculum_env.augment.maker import Accepted, Maker
from curriculum_env.augment.proposal import Annotation, Proposal
from curriculum_env.augment.teacher import SymbolicTeacher

PROBLEM = "A shop sells 36 cups in the morning and 48 cups at night. How many cups does it sell?"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("84", None),
        ("$\\frac{168}{2}$", None),
        ("\\sqrt{", "gold_refused"),
        ("9^{9^{9^9}}", "gold_refused"),
    ],
)
async def test_the_rubric_must_take_the_teachers_answer(answer: str, reason: str | None) -> None:
    taskset = MathTaskset(MathTasksetConfig(size=10, check_answers=False))
    filters = Filters(taskset, Evaluation.of(taskset, taskset.heldout_rows()))
    parents = list(taskset.rows())
    filters.add(parents)
    maker = Maker(taskset, filters, teacher=SymbolicTeacher(lambda parent, _: Annotation(answer)))
    parent = random.Random(0).choice(parents)
    found = await maker.settle(parent, Proposal(parent.uid, "harder", PROBLEM, 1.1))
    if isinstance(found, Accepted):
        assert reason is None
        assert taskset.task(found.row).data.answers == [answer]
        assert found.row.parent == parent.uid
    else:
        assert found.reason == reason
