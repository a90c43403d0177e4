from __future__ import annotations

from collections import Counter
from typing import get_args

import numpy as np
import pytest

from curriculum_env.samplers import View
from curriculum_env.samplers.part import part_of
from curriculum_env.samplers.view import Pick, smallest
from curriculum_env.testing.samplers import make_view
from curriculum_env.types import FloatArray


def first_choices(score_N: FloatArray, draws: int, pick: Pick) -> Counter[int]:
    counts: Counter[int] = Counter()
    for draw in range(draws):
        rows_K, _ = make_view(len(score_N), draw=draw, pick=pick).choose(score_N, 1)
        counts[int(rows_K[0])] += 1
    return counts


def test_in_proportion_to_the_weight() -> None:
    counts = first_choices(np.array([1.0, 2.0, 5.0]), 4000, "proportional")
    for row, share in enumerate([0.125, 0.25, 0.625]):
        assert counts[row] / 4000 == pytest.approx(share, abs=0.03)


def test_the_propensity_is_the_share_of_the_weight() -> None:
    view = make_view(4)
    view.available_N[3] = False
    rows_K, propensity_K = view.choose(np.array([1.0, 2.0, 5.0, 100.0]), 4)
    assert dict(zip(rows_K.tolist(), propensity_K.tolist(), strict=True)) == pytest.approx(
        {0: 1 / 8, 1: 2 / 8, 2: 5 / 8}
    )


def test_the_top_comes_in_order_and_ties_at_random() -> None:
    rows_K, propensity_K = make_view(4, pick="top").choose(np.array([0.2, 0.9, 0.5, 0.0]), 4)
    assert rows_K.tolist() == [1, 2, 0]
    assert propensity_K.tolist() == [1.0, 1.0, 1.0]
    counts = first_choices(np.array([0.5, 0.5, 0.5, 0.4]), 600, "top")
    assert set(counts) == {0, 1, 2}
    assert min(counts.values()) > 140


def test_stratified_buckets_get_their_share_and_the_highest_come_first() -> None:
    score_N = np.linspace(0.1, 1.0, 500) * np.array([4.0, 3.0, 2.0, 1.0, 0.0] * 100)
    rows_K, propensity_K = make_view(500, pick="stratified").choose(score_N, 50)
    drawn_A = np.bincount(rows_K % 5, minlength=5)
    share_A = np.bincount(np.arange(500) % 5, score_N) / score_N.sum()
    assert np.abs(drawn_A - 50 * share_A).max() < 1.0
    assert propensity_K == pytest.approx(share_A[rows_K % 5])
    for arm in range(4):
        rows = rows_K[rows_K % 5 == arm].tolist()
        assert rows == list(range(495 + arm, 0, -5))[: len(rows)]
    assert len(set(np.flatnonzero(np.diff(rows_K % 5)))) > 10, "the buckets take turns at random"


@pytest.mark.parametrize("pick", ["stratified", "top"])
def test_ties_are_broken_without_regard_to_the_place_in_the_pool(pick: Pick) -> None:
    tenth = np.zeros(10)
    for draw in range(400):
        rows_K, _ = make_view(1000, draw=draw, pick=pick).choose(np.ones(1000), 15)
        tenth += np.bincount(rows_K // 100, minlength=10)
    assert np.abs(tenth - 600).max() < 5 * 600**0.5


def test_stratified_ties_come_at_random() -> None:
    counts = first_choices(np.tile([1.0, 0.0, 0.0, 0.0, 0.0], 4), 600, "stratified")
    assert set(counts) == {0, 5, 10, 15}
    assert min(counts.values()) > 100


def test_stratified_what_a_bucket_has_no_rows_for_goes_to_the_others() -> None:
    view = make_view(20, pick="stratified")
    view.available_N[::5] = False
    view.available_N[5] = True
    score_N = np.where(np.arange(20) % 5 == 0, 1e6, 1.0)
    rows_K, propensity_K = view.choose(score_N, 99)
    assert sorted(rows_K.tolist()) == sorted([5, *(row for row in range(20) if row % 5)])
    assert np.all((propensity_K > 0.0) & (propensity_K <= 1.0))


def test_stratified_a_part_has_the_buckets_of_its_rows() -> None:
    rows_M = np.array([3, 4, 8, 13, 18])
    part = part_of(make_view(20, pick="stratified"), rows_M)
    rows_K, propensity_K = part.choose(np.array([1.0, 4.0, 2.0, 0.5, 0.5]), 5)
    assert sorted(rows_K.tolist()) == [0, 1, 2, 3, 4]
    assert propensity_K == pytest.approx(0.5)
    assert [row for row in rows_K.tolist() if row != 1][:2] == [2, 0]
    assert part.buckets is not None
    assert part.buckets.keys == [("d", "3"), ("d", "4")]
    assert part.buckets.find(("d", "4")) == 1


@pytest.mark.parametrize("pick", get_args(Pick))
def test_novelty_weighs_and_a_score_of_nought_is_never_chosen(pick: Pick) -> None:
    view = make_view(3, pick=pick)
    view.novelty_N[:] = [0.8**9, 1.0, 1.0]
    rows_K, _ = view.choose(np.array([1.0, 0.9, 0.0]), 3)
    assert set(rows_K.tolist()) == {0, 1}
    if pick == "top":
        assert rows_K.tolist() == [1, 0]


@pytest.mark.parametrize("pick", get_args(Pick))
def test_scores_that_are_no_numbers(pick: Pick) -> None:
    score_N = np.array([np.nan, -1.0, np.inf, 1.0, 0.0, -np.inf])
    rows_K, propensity_K = make_view(6, pick=pick).choose(score_N, 6)
    assert rows_K.tolist() in ([2, 3], [3, 2])
    assert np.all((propensity_K > 0.0) & (propensity_K <= 1.0))


def test_evenly_means_whatever_the_visits() -> None:
    view: View = make_view(4)
    view.available_N[0] = False
    view.novelty_N[:] = 1e-9
    rows_K, propensity_K = view.choose_evenly(9)
    assert sorted(rows_K.tolist()) == [1, 2, 3]
    assert propensity_K.tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("n", [0, 1, 5, 99])
def test_the_smallest_keys_in_order(n: int) -> None:
    key_N = np.random.default_rng(1).permutation(20).astype(np.float64)
    assert key_N[smallest(key_N, n)].tolist() == list(range(min(n, 20)))
