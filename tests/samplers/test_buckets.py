from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.samplers.buckets import Buckets, By, Key
from curriculum_env.samplers.recent import push, stretch
from curriculum_env.samplers.spread import floored, softmax, spread
from curriculum_env.types import Row

ROWS = [
    Row(f"{i}", {}, domain, level)
    for i, (domain, level) in enumerate(
        [("math", "1"), ("code", "1"), ("math", "2"), ("math", "1"), ("code", "1")]
    )
]


@pytest.mark.parametrize(
    ("by", "keys", "members"),
    [
        ("bucket", [("math", "1"), ("code", "1"), ("math", "2")], [[0, 3], [1, 4], [2]]),
        ("domain", [("math", ""), ("code", "")], [[0, 2, 3], [1, 4]]),
        ("level", [("", "1"), ("", "2")], [[0, 1, 3, 4], [2]]),
    ],
)
def test_rows_fall_into_buckets(by: By, keys: list[Key], members: list[list[int]]) -> None:
    buckets = Buckets(by)
    buckets.add(ROWS[:3])
    assert buckets.members(0)[0] == 0
    buckets.add(ROWS[3:])
    assert buckets.keys == keys
    assert [buckets.members(arm).tolist() for arm in range(len(buckets))] == members
    assert buckets.find(keys[-1]) == len(keys) - 1
    assert buckets.find(("no", "such")) is None
    chosen_N = np.array([True, False, True, True, False])
    assert buckets.count(chosen_N).sum() == 3


def test_statistics_divide_by_the_count_while_filling() -> None:
    ring_AW, seen_A = np.zeros((2, 4)), np.zeros(2)
    push(ring_AW, seen_A, 0, [1.0, 0.0, 1.0])
    counted = stretch(ring_AW, seen_A, 4)
    assert counted.count_A.tolist() == [3.0, 0.0]
    assert counted.mean_A.tolist() == pytest.approx([2 / 3, 0.0])
    assert counted.variance_A.tolist() == pytest.approx([2 / 3 - (2 / 3) ** 2, 0.0])


@given(
    st.lists(st.floats(0, 1), max_size=40), st.integers(1, 6), st.integers(0, 6), st.integers(0, 4)
)
def test_a_stretch_is_what_a_list_would_say(
    values: list[float], length: int, ago: int, spare: int
) -> None:
    ring_AW, seen_A = np.zeros((1, length + ago + spare)), np.zeros(1)
    push(ring_AW, seen_A, 0, values)
    end = max(len(values) - ago, 0)
    expected = values[max(end - length, 0) : end]
    found = stretch(ring_AW, seen_A, length, ago)
    assert found.count_A[0] == len(expected)
    if expected:
        assert found.mean_A[0] == pytest.approx(np.mean(expected), abs=1e-12)
        assert found.variance_A[0] == pytest.approx(np.var(expected), abs=1e-9)


def test_for_rewards_of_nought_and_one_the_squares_are_the_rewards() -> None:
    ring_AW, seen_A = np.zeros((1, 100)), np.zeros(1)
    push(ring_AW, seen_A, 0, [1.0] * 30 + [0.0] * 70)
    assert stretch(ring_AW, seen_A, 100).variance_A[0] == pytest.approx(0.3 * 0.7)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.lists(st.integers(0, 30), min_size=6, max_size=6),
    st.integers(0, 60),
    st.integers(0, 99),
)
def test_draws_are_spread_in_proportion_and_never_past_what_is_open(
    chances: list[float], opens: list[int], n: int, seed: int
) -> None:
    chance_A, open_A = np.array(chances) + 1e-3, np.array(opens[: len(chances)])
    if not open_A.any():
        return
    arms_K, share_A = spread(chance_A, open_A, n, np.random.default_rng(seed))
    count_A = np.bincount(arms_K, minlength=len(open_A))
    assert len(arms_K) == min(n, open_A.sum())
    assert np.all(count_A <= open_A)
    assert share_A.sum() == pytest.approx(1.0)
    if np.all(open_A >= n * share_A + 1.0):
        assert np.all(np.abs(count_A - n * share_A) <= 1.0 + 1e-6)


def test_one_draw_follows_the_chances() -> None:
    counts: Counter[int] = Counter()
    for seed in range(4000):
        rng = np.random.default_rng(seed)
        arms_K, _ = spread(np.array([1.0, 2.0, 0.0, 5.0]), np.array([9, 9, 9, 9]), 1, rng)
        counts[int(arms_K[0])] += 1
    assert counts[2] == 0
    for arm, share in ((0, 0.125), (1, 0.25), (3, 0.625)):
        assert counts[arm] / 4000 == pytest.approx(share, abs=0.03)


def test_a_softmax_with_a_floor() -> None:
    chance_A = floored(softmax(np.array([0.0, np.log(3.0), -1e9])), 0.3)
    assert chance_A.tolist() == pytest.approx([0.7 / 4 + 0.1, 0.7 * 3 / 4 + 0.1, 0.1])
