from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import islice, pairwise

import pytest
from arithmetic_curriculum.dataset import (
    HELD_OUT_PER_LEVEL,
    held_out,
    heldout_rows,
    train_rows,
)
from arithmetic_curriculum.expression import Expression, canonical, write
from arithmetic_curriculum.levels import FAMILIES, LEVELS, Family
from hypothesis import given, settings
from hypothesis import strategies as st

from curriculum_env import Row
from tests.environments.arithmetic_curriculum.evaluator import independent


def uids(rows: list[Row]) -> list[str]:
    return [row.uid for row in rows]


@pytest.fixture(scope="module")
def pool() -> list[Row]:
    return list(train_rows(10_000))


@pytest.fixture(scope="module")
def evaluation() -> list[Row]:
    return list(heldout_rows())


def test_the_pool_is_as_large_as_asked_and_distinct(pool: list[Row]) -> None:
    assert len(pool) == len(set(uids(pool))) == 10_000
    assert len({row.data["expression"] for row in pool}) == 10_000


def test_every_answer_agrees_with_an_independent_evaluator(
    pool: list[Row], evaluation: list[Row]
) -> None:
    for row in pool + evaluation:
        assert independent(row.data["expression"]) == row.data["answer"]
        assert type(row.data["answer"]) is int


def test_a_small_level_is_used_up_and_the_others_share_the_rest(pool: list[Row]) -> None:
    per_level = Counter(row.level for row in pool)
    smallest, *others = sorted(per_level.values())
    assert set(per_level) == {str(level) for level in LEVELS}
    assert per_level["1"] == smallest == sum(not held_out(p) for p in problems(1))
    assert max(others) - min(others) <= 1


def test_a_level_gives_no_more_than_it_has() -> None:
    only = list(train_rows(10_000, levels=[1]))
    assert len(only) == len(set(uids(only))) < 300


def problems(level: int) -> list[Expression]:
    families = [family for family in FAMILIES if family.level == level]
    return [family.problem(number) for family in families for number in range(family.size)]


def test_the_held_out_split_is_balanced_and_distinct(evaluation: list[Row]) -> None:
    assert Counter(row.level for row in evaluation) == dict.fromkeys(
        map(str, LEVELS), HELD_OUT_PER_LEVEL
    )
    assert len(set(uids(evaluation))) == len(evaluation)
    domains = Counter((row.level, row.domain) for row in evaluation)
    assert domains["1", "addition"] == domains["1", "subtraction"] == 11
    assert domains["1", "multiplication"] == 10


@settings(max_examples=25)
@given(
    size=st.integers(1, 5_000),
    seed=st.integers(0, 2**32),
    levels=st.sets(st.sampled_from(LEVELS), min_size=1),
)
def test_no_training_problem_is_held_out_in_any_order(
    size: int, seed: int, levels: set[int]
) -> None:
    evaluation = {sorted_operands(row) for row in heldout_rows()}
    assert evaluation.isdisjoint(
        sorted_operands(row) for row in train_rows(size, seed, sorted(levels))
    )


def sorted_operands(row: Row) -> tuple[str, ...]:
    """Coarser than `canonical` where order does not count, equal to the text where it does."""
    text = row.data["expression"]
    tokens = text.split(" ")
    return tuple(sorted(tokens)) if set(tokens[1::2]) in ({"+"}, {"*"}) else (text,)


def test_the_held_out_problems_of_a_level_do_not_depend_on_the_others(
    evaluation: list[Row],
) -> None:
    for level in LEVELS:
        alone = uids(list(heldout_rows([level])))
        assert alone == [row.uid for row in evaluation if row.level == str(level)]


def test_the_held_out_split_never_moves(evaluation: list[Row]) -> None:
    first = [row.data["expression"] for row in evaluation[:8]]
    assert first == [
        "5 + 6",
        "8 + 93",
        "72 + 85",
        "645 + 229",
        "2382 + 2231",
        "34 * 62",
        "(64 + 64) * 26",
        "29 * (70 * 95 - 61)",
    ]
    assert evaluation[0].uid == "bda47570b59bd1a6"


def test_a_larger_pool_begins_with_the_smaller_one(pool: list[Row]) -> None:
    assert uids(pool)[:500] == uids(list(train_rows(500)))


def test_seeds_differ(pool: list[Row]) -> None:
    other = uids(list(train_rows(10_000, seed=1)))
    assert other != uids(pool)
    assert len(set(other) & set(uids(pool))) < 7_000


def test_the_same_in_another_process_whatever_its_hash_seed(
    pool: list[Row], evaluation: list[Row]
) -> None:
    program = (
        "import json; from arithmetic_curriculum.dataset import *;"
        "print(json.dumps([row.uid for rows in (train_rows(300), heldout_rows()) for row in rows]))"
    )
    output = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONHASHSEED": "1"},
        check=True,
        capture_output=True,
    ).stdout
    assert json.loads(output) == uids(pool)[:300] + uids(evaluation)


def test_rows_carry_what_a_curriculum_reads(pool: list[Row]) -> None:
    for row in pool:
        assert row.level == str(row.features["level"])
        assert row.domain == row.features["operation"]
    nested = next(row for row in pool if row.level == "8")
    assert set(nested.features) == {"level", "operation", "operands", "digits", "depth"}
    assert nested.features["depth"] >= 3


def test_a_million_are_there_to_be_had() -> None:
    tail = islice(train_rows(1_000_000), 50_000, None)
    assert all(a.uid != b.uid for a, b in pairwise(islice(tail, 1_000)))
    assert sum(family.size for family in FAMILIES) > 10_000_000


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f"{f.level}-{f.operation}-{f.digits}")
def test_a_family_numbers_distinct_problems_of_its_kind(family: Family) -> None:
    numbers = range(0, family.size, max(1, family.size // 2_000))
    texts = [write(family.problem(number)) for number in numbers]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert ("(" in text) == (family.operation == "nested")
        operands = text.replace("(", "").replace(")", "").split(" ")[::2]
        assert len(operands) == len(family.digits)
        if family.operation != "division":
            assert tuple(map(len, operands)) == family.digits


def test_small_families_are_whole() -> None:
    sums = {canonical(FAMILIES[0].problem(number)) for number in range(100)}
    assert len(sums) == 55


@pytest.mark.parametrize("levels", [[], [0], [1, 9]])
def test_unknown_levels_are_refused(levels: list[int]) -> None:
    with pytest.raises(ValueError, match="expected one or more of"):
        list(train_rows(10, levels=levels))
    with pytest.raises(ValueError, match="expected one or more of"):
        list(heldout_rows(levels))
