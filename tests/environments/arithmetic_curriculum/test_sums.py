from __future__ import annotations

from collections import Counter

import pytest
from arithmetic_curriculum import ArithmeticTaskset, load_environment
from arithmetic_curriculum.dataset import held_out
from arithmetic_curriculum.sums import heldout_sums, sum_rows
from arithmetic_curriculum.taskset import ArithmeticTasksetConfig
from pydantic import ValidationError

from curriculum_env import Row

EVEN = [1.0] * 5
EASY = [6.0, 3.0, 1.0, 0.5, 0.3]


def operands(row: Row) -> tuple[int, int]:
    a, b = map(int, row.data["expression"].split(" + "))
    return a, b


def test_a_pool_is_as_large_as_asked_distinct_right_and_not_held_out() -> None:
    rows = list(sum_rows(4000, EASY))
    assert len({row.uid for row in rows}) == 4000
    for row in rows:
        a, b = operands(row)
        assert row.data["answer"] == a + b
        assert row.level == row.features["lengths"] == f"{len(str(a))}+{len(str(b))}"
        assert not held_out(("+", a, b))


def test_lengths_are_as_common_as_their_weights() -> None:
    found = Counter(row.level for row in sum_rows(4000, EVEN))
    assert len(found) == 25
    assert found.pop("1+1") == 84, "there are no more"
    assert all(120 < count < 210 for count in found.values())
    hard = Counter(row.level for row in sum_rows(4000, [0.15, 0.3, 1.0, 2.0, 3.0]))
    assert hard["5+5"] / 4000 == pytest.approx((3 / 6.45) ** 2, abs=0.03)


def test_a_length_without_weight_is_left_out_and_a_pool_used_up_ends() -> None:
    assert {row.level for row in sum_rows(300, [0.0, 1.0])} == {"2+2"}
    assert len(list(sum_rows(1000, [1.0]))) == 84


def test_another_seed_makes_another_pool_of_the_same_kind() -> None:
    one, again, other = ([row.uid for row in sum_rows(500, EVEN, s)] for s in (0, 0, 1))
    assert one == again
    assert len(set(one) & set(other)) < 100


def test_the_exam_has_twenty_of_each_pair_and_shares_none_with_any_pool() -> None:
    exam = list(heldout_sums(5))
    found = Counter(row.level for row in exam)
    assert found.pop("1+1") == 16, "there are no more"
    assert set(found.values()) == {20}
    assert len(found) == 24
    kept = {row.uid for row in exam}
    for seed in range(3):
        assert not kept & {row.uid for row in sum_rows(4000, EASY, seed)}


def test_the_taskset_serves_them() -> None:
    config = ArithmeticTasksetConfig(id="arithmetic-curriculum", size=50, sums=EASY)
    taskset = ArithmeticTaskset(config)
    assert [row.uid for row in taskset.rows()] == [row.uid for row in sum_rows(50, EASY)]
    heldout = load_environment(split="heldout", sums=[1.0, 1.0])
    prompts = [task.data.prompt for task in heldout.taskset]
    assert len(prompts) == 76
    assert all(prompt.startswith("What is ") for prompt in prompts)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [-1.0], [1.0] * 10, [float("inf")]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValidationError):
        ArithmeticTasksetConfig(id="arithmetic-curriculum", sums=weights)


@pytest.mark.parametrize("weights", [[], [0.0], [-1.0, 2.0], [1.0] * 10])
def test_the_pool_refuses_them_too(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights of operands"):
        list(sum_rows(10, weights))
