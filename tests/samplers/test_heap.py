from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curriculum_env.samplers.heap import PriorityHeap

SIZE = 12
PRIORITIES = st.sampled_from([0.0, 0.1, 0.1875, 0.25])
STEPS = st.lists(st.tuples(st.integers(0, SIZE - 1), PRIORITIES | st.none()), max_size=60)
STARTS = st.lists(PRIORITIES | st.just(math.nan), min_size=SIZE, max_size=SIZE)


def ranked(model: dict[int, float], ties: list[int]) -> list[int]:
    return sorted(model, key=lambda row: (-model[row], ties[row]))


@settings(deadline=None)
@given(STARTS, st.permutations(range(SIZE)), STEPS, st.sets(st.integers(0, SIZE - 1)))
def test_it_orders_rows_as_sorting_does(
    start: list[float],
    ties: list[int],
    steps: list[tuple[int, float | None]],
    barred: set[int],
) -> None:
    heap = PriorityHeap()
    half = SIZE // 2
    for part in (slice(0, half), slice(half, SIZE)):
        heap.add(np.array(start[part]), np.array(ties[part]))
    model = {row: priority for row, priority in enumerate(start) if not math.isnan(priority)}
    for row, priority in steps:
        if priority is None:
            heap.remove(row)
            model.pop(row, None)
        else:
            heap.set(row, priority)
            model[row] = priority
        assert heap.best(SIZE, lambda _: True) == ranked(model, ties)
    allowed = [row for row in ranked(model, ties) if row not in barred]
    assert heap.best(3, lambda row: row not in barred) == allowed[:3]
    assert len(heap) == len(model)
    assert [row for row in range(SIZE) if row in heap] == sorted(model)


def test_an_update_touches_the_logarithm_of_the_rows() -> None:
    """Counted, not timed: a full turn of updates in a heap of 4,096."""
    heap, compared = PriorityHeap(), 0
    key = heap._key

    def counted(row: int) -> tuple[float, int]:
        nonlocal compared
        compared += 1
        return key(row)

    heap.add(np.linspace(0.0, 0.25, 4096), np.arange(4096))
    heap._key = counted  # type: ignore[method-assign]
    for row in range(4096):
        before = compared
        heap.set(row, 0.25 * ((row * 2654435761) % 4096) / 4096)
        assert compared - before <= 4 * 12 + 4


def test_nothing_in_nothing_out() -> None:
    heap = PriorityHeap()
    heap.add(np.empty(0), np.empty(0, np.int64))
    assert heap.best(3, lambda _: True) == []
