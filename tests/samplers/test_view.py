from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from curriculum_env.samplers import View
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


@pytest.mark.parametrize("pick", ["proportional", "top"])
def test_novelty_weighs_and_a_score_of_nought_is_never_chosen(pick: Pick) -> None:
    view = make_view(3, pick=pick)
    view.novelty_N[:] = [0.8**9, 1.0, 1.0]
    rows_K, _ = view.choose(np.array([1.0, 0.9, 0.0]), 3)
    assert set(rows_K.tolist()) == {0, 1}
    if pick == "top":
        assert rows_K.tolist() == [1, 0]


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
