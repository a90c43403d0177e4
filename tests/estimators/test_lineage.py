from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curriculum_env.estimators.lineage import Aggregate, Forest, adjusted, clamped, refreshed
from curriculum_env.types import FloatArray

AGGREGATES: list[Aggregate] = ["child", "path"]
KNOWN = st.floats(-1.0, 1.0) | st.just(math.nan)


def forest_of(*parents: int) -> Forest:
    return Forest.of(np.array(parents, dtype=np.int64))


def array(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float64)


def test_the_values_of_the_paper_s_rules() -> None:
    """Children (v, d, leaves) = (.5, 1.2, 1) and (-.25, .8, 3), old value .1."""
    forest = forest_of(-1, 0, 0, 2, 2, 2)
    value_N = array(0.1, 0.5, -0.25, math.nan, math.nan, math.nan)
    factor_N = array(1.0, 1.2, 0.8, 1.0, 1.0, 1.0)
    assert forest.leaves_N.tolist() == [4, 1, 3, 1, 1, 1]
    assert refreshed(forest, value_N, factor_N, "child")[0] == pytest.approx(0.1041667, abs=5e-8)
    assert refreshed(forest, value_N, factor_N, "path")[0] == pytest.approx(0.0270833, abs=5e-8)


def test_a_difficulty_divides_what_is_positive_and_multiplies_what_is_negative() -> None:
    value, factor = array(0.6, 0.0, -0.6), array(1.2, 1.2, 1.2)
    assert adjusted(value, factor) == pytest.approx([0.5, 0.0, -0.72])
    assert adjusted(value, factor, "inverse") == pytest.approx([0.72, 0.0, -0.5])
    assert adjusted(adjusted(value, factor), factor, "inverse") == pytest.approx(value)


def test_factors_are_clamped_and_what_is_none_counts_one() -> None:
    given_N = array(0.1, 0.75, 1.0, 1.33, 9.0, 0.0, -2.0, math.nan, math.inf)
    assert clamped(given_N).tolist() == [0.75, 0.75, 1.0, 1.33, 1.33, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_where_nothing_was_known_the_mean_of_the_children_stands_alone(
    aggregate: Aggregate,
) -> None:
    value_N = refreshed(
        forest_of(-1, 0, 0, 0), array(math.nan, 0.5, 0.25, math.nan), np.ones(4), aggregate
    )
    assert value_N[0] == 0.375
    assert math.isnan(value_N[3])


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_it_goes_from_the_leaves_up_and_clips(aggregate: Aggregate) -> None:
    chain = forest_of(-1, 0, 1)
    assert refreshed(chain, array(0.0, 0.0, 0.8), np.ones(3), aggregate).tolist() == [0.2, 0.4, 0.8]
    steep = refreshed(chain, array(-1.0, -1.0, -1.0), array(1.0, 1.33, 1.33), aggregate)
    assert steep.tolist() == [-1.0, -1.0, -1.0]


def test_leaves_keep_their_value_and_so_do_parents_of_the_unknown() -> None:
    value_N = array(0.3, math.nan, 0.7)
    found = refreshed(forest_of(-1, 0, -1), value_N, np.ones(3), "path")
    assert np.array_equal(found, value_N, equal_nan=True)
    assert refreshed(forest_of(), array(), array(), "path").tolist() == []


def test_a_refresh_leaves_what_it_was_given() -> None:
    value_N = array(0.0, 0.8)
    refreshed(forest_of(-1, 0), value_N, np.ones(2), "child")
    assert value_N.tolist() == [0.0, 0.8]


def plain(parents: list[int], values: list[float], factors: list[float], path: bool) -> list[float]:
    """By recursion, from the formulas."""
    children: list[list[int]] = [[] for _ in parents]
    for row, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(row)

    def leaves(row: int) -> int:
        return sum(map(leaves, children[row])) or 1

    def value(row: int) -> float:
        heard = []
        for child in children[row]:
            v, d = value(child), min(max(factors[child], 0.75), 1.33)
            if not math.isnan(v):
                heard.append((leaves(child) if path else 1, v / d if v >= 0 else v * d))
        if not heard:
            return values[row]
        mean = sum(w * v for w, v in heard) / sum(w for w, _ in heard)
        old = values[row]
        return min(max(mean if math.isnan(old) else 0.5 * old + 0.5 * mean, -1.0), 1.0)

    return [value(row) for row in range(len(parents))]


@settings(deadline=None)
@given(st.data(), st.lists(st.integers(-1, 200), max_size=30))
def test_any_forest_is_refreshed_as_by_recursion(data: Any, numbers: list[int]) -> None:
    order = data.draw(st.permutations(range(len(numbers))))
    parents = [-1] * len(numbers)
    for place, number in enumerate(numbers):
        if place and number >= 0:
            parents[order[place]] = order[number % place]
    size = len(parents)
    values = data.draw(st.lists(KNOWN, min_size=size, max_size=size))
    factors = data.draw(st.lists(st.floats(0.5, 2.0), min_size=size, max_size=size))
    for aggregate in AGGREGATES:
        found = refreshed(forest_of(*parents), array(*values), array(*factors), aggregate)
        expected = plain(parents, values, factors, aggregate == "path")
        assert found == pytest.approx(expected, nan_ok=True)


def test_the_shape_of_a_forest() -> None:
    forest = forest_of(2, -1, 1, 1, 0, -1)
    assert forest.generation_N.tolist() == [2, 0, 1, 1, 3, 0]
    assert forest.fan_out_N.tolist() == [1, 2, 1, 0, 0, 0]
    assert forest.leaves_N.tolist() == [1, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("parents", [[0], [1, 0], [-1, 3, 1, 2, 0]])
def test_no_row_is_its_own_ancestor(parents: list[int]) -> None:
    with pytest.raises(ValueError, match="its own ancestor"):
        forest_of(*parents)


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_a_hundred_thousand_rows_in_time(aggregate: Aggregate) -> None:
    """Shape and refresh together, in processor time of one thread; the goal is 150 ms."""
    rng = np.random.default_rng(0)
    size = 100_000
    parent_N = np.maximum((rng.random(size) * np.arange(size)).astype(np.int64) - 1, -1)
    parent_N[0] = -1
    value_N, factor_N = rng.uniform(-1.0, 1.0, size), rng.uniform(0.75, 1.33, size)
    spent = []
    for _ in range(3):
        start = time.thread_time()
        refreshed(Forest.of(parent_N), value_N, factor_N, aggregate)
        spent.append(time.thread_time() - start)
    assert min(spent) < 0.15
