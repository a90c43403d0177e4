from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from arithmetic_curriculum import load_environment
from arithmetic_curriculum.dataset import heldout_rows
from arithmetic_curriculum.fresh import fresh_problem, fresh_sum
from arithmetic_curriculum.sums import heldout_sums, sum_rows

from curriculum_env import Outcome
from tests.environments.arithmetic_curriculum.evaluator import independent

SUMS = [1.0, 1.0, 0.0, 1.0]


def test_a_candidate_is_known_by_its_number() -> None:
    for make in (fresh_problem, lambda number, seed=0: fresh_sum(number, SUMS, seed)):
        first = [make(number) for number in range(300)]
        assert first == [make(number) for number in range(300)]
        assert first != [make(number, 1) for number in range(300)]
        found = [row for row in first if row]
        assert 0.7 < len(found) / 300 < 0.9  # one in five is held out
        assert all(independent(row.data["expression"]) == row.data["answer"] for row in found)


def test_the_held_out_never_come() -> None:
    problems = {row.uid for number in range(4000) if (row := fresh_problem(number, 3))}
    assert not problems & {row.uid for row in heldout_rows()}
    small = {row.uid for number in range(4000) if (row := fresh_sum(number, [1.0, 1.0]))}
    assert not small & {row.uid for row in heldout_sums(2)}
    assert small & {row.uid for row in sum_rows(100, [1.0, 1.0])}, "they are the same problems"


def test_the_levels_asked_for_take_turns() -> None:
    levels = Counter(row.level for n in range(900) if (row := fresh_problem(n, levels=[2, 5, 7])))
    assert set(levels) == {"2", "5", "7"}
    assert min(levels.values()) > 200
    lengths = {row.level for n in range(900) if (row := fresh_sum(n, SUMS))}
    assert lengths == {f"{i}+{j}" for i in (1, 2, 4) for j in (1, 2, 4)}


def opened(store: str, **config: Any) -> Any:
    return load_environment(
        size=40,
        task={"store": store},
        curriculum={"group_size": 2, "generate": {"share": 0.5}, "cooldown": 0},
        **config,
    ).taskset


@pytest.mark.parametrize("kind", [{"levels": [4, 6]}, {"sums": [1, 1, 1]}])
def test_a_run_makes_problems_and_finds_them_again(tmp_path: Path, kind: dict[str, Any]) -> None:
    store = f"sqlite:///{tmp_path}/c.db"
    pool = {row.uid for row in opened(store, **kind).rows()}
    taskset = opened(store, generate=True, **kind)
    tasks = []
    for task in islice(taskset, 60):
        tasks.append(task)
        place = task.data.curriculum
        for i in range(2):
            taskset.curriculum.tell(Outcome(place.draw, place.uid, f"{place.draw}-{i}", float(i)))
        taskset.curriculum.sync(5.0)
    taskset.close()
    made = [task for task in tasks if task.key not in pool]
    assert len(made) >= 30
    assert all(independent(task.data.expression) == task.data.answer for task in made)
    heldout = load_environment(split="heldout", **kind).taskset
    assert not {task.key for task in made} & {task.key for task in heldout}
    again = opened(store, generate=True, **kind)
    assert [(task.key, task.hash) for task in islice(again, 60)] == [
        (task.key, task.hash) for task in tasks
    ]
    again.close()


def test_without_the_option_the_pool_is_fixed(tmp_path: Path) -> None:
    taskset = opened(f"sqlite:///{tmp_path}/c.db")
    keys = {task.key for task in islice(taskset, 60)}
    assert keys <= {row.uid for row in taskset.rows()}
    assert taskset.curriculum.metrics()["proposed_rows"] == 0
    taskset.close()
