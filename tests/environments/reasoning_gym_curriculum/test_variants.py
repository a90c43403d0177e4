from __future__ import annotations

import pytest
from reasoning_gym_curriculum.dataset import held_out
from reasoning_gym_curriculum.taskset import ReasoningGymTaskset, ReasoningGymTasksetConfig
from reasoning_gym_curriculum.variants import FIRST, vary

from curriculum_env.augment.evaluation import Evaluation
from curriculum_env.augment.filters import Filters
from curriculum_env.augment.maker import Accepted, Maker
from curriculum_env.augment.proposal import Discard
from curriculum_env.types import Row

FAMILIES = ["basic_arithmetic", "countdown", "simple_geometry"]


@pytest.fixture(scope="module")
def taskset() -> ReasoningGymTaskset:
    return ReasoningGymTaskset(ReasoningGymTasksetConfig(size=12, families=FAMILIES))


@pytest.fixture(scope="module")
def parents(taskset: ReasoningGymTaskset) -> list[Row]:
    return list(taskset.rows())


@pytest.mark.parametrize(("kind", "step"), [("numbers", 0), ("harder", 1), ("easier", -1)])
def test_a_variant_is_another_task_of_the_family(kind: str, step: int, parents: list[Row]) -> None:
    made = 0
    for parent in parents[:6]:
        row = vary(parent, kind, 0)
        assert row == vary(parent, kind, 0)
        if row is None:
            assert kind != "numbers"
            continue
        made += 1
        assert row.data["question"] != parent.data["question"]
        assert row.data["index"] >= FIRST
        assert not held_out(row.data["question"])
        assert (row.domain, int(row.level)) == (parent.domain, int(parent.level) + step)
        assert row.parent == parent.uid
    assert made


async def test_its_own_scorer_accepts_it(taskset: ReasoningGymTaskset, parents: list[Row]) -> None:
    filters = Filters(taskset, Evaluation.of(taskset, taskset.heldout_rows()))
    filters.add(parents)
    maker = Maker(taskset, filters)
    found = [await maker.make(parent, "numbers", 1) for parent in parents]
    rows = [one.row for one in found if isinstance(one, Accepted)]
    assert len(rows) >= 8
    assert {one.reason for one in found if isinstance(one, Discard)} <= {"duplicate", "no_task"}
    for row in rows[:4]:
        assert await taskset.task(row).validate(None) in (True, None)


def test_no_other_kind_is_made_and_no_model_writes_one(
    taskset: ReasoningGymTaskset, parents: list[Row]
) -> None:
    assert vary(parents[0], "paraphrase", 0) is None
    assert taskset.child(parents[0], "Calculate 1 + 1.", "2") is None
