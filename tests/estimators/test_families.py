from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curriculum_env.estimators.families import Families
from curriculum_env.types import Row


def row(uid: str, parent: str = "", factor: float = 1.0) -> Row:
    return Row(uid, {}, parent=parent, factor=factor)


def made(*rows: Row) -> Families:
    families = Families()
    families.add(rows)
    return families


def test_generations_roots_and_numbers() -> None:
    families = made(row("a"), row("b", "a"), row("c", "a"), row("d", "c"), row("e"))
    assert [families.parent(i) for i in range(5)] == [-1, 0, 0, 2, -1]
    assert [families.root(i) for i in range(5)] == [0, 0, 0, 0, 4]
    assert [families.generation(i) for i in range(5)] == [0, 1, 1, 2, 0]
    assert [families.fan_out(i) for i in range(5)] == [2, 0, 1, 0, 0]
    assert (families.members(0), families.members(4)) == (4, 1)
    assert (len(families), families.variants) == (5, 3)


def test_only_relatives_are_in_the_forest() -> None:
    families = made(row("x"), row("a"), row("y"), row("b", "a", 1.2))
    rows_M, forest, factor_M = families.related()
    assert rows_M.tolist() == [1, 3]
    assert forest.generation_N.tolist() == [0, 1]
    assert factor_M.tolist() == [1.0, 1.2]
    families.add([row("c", "b", 0.8)])
    assert families.related().rows_M.tolist() == [1, 3, 4]
    assert families.related() is families.related()
    assert made(row("x")).related().rows_M.tolist() == []


def test_a_parent_may_come_later_or_never() -> None:
    families = made(row("b", "a"), row("c", "b"), row("o", "gone"))
    assert [families.root(i) for i in range(3)] == [0, 0, 2]
    families.add([row("a")])
    assert [families.root(i) for i in range(4)] == [3, 3, 2, 3]
    assert families.generation(1) == 2
    assert families.members(3) == 3


def test_a_circle_is_cut() -> None:
    alone = made(row("a", "a"))
    assert (alone.parent(0), alone.members(0)) == (-1, 1)
    pair = made(row("a", "b"), row("b", "a"))
    assert sorted(pair.parent(i) for i in range(2)) in ([-1, 0], [-1, 1])
    assert pair.related().forest.generation_N.tolist() in ([0, 1], [1, 0])


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 14), st.floats(0.5, 2.0)), max_size=14),
    st.lists(st.integers(1, 5), max_size=14),
)
def test_however_rows_arrive(links: list[tuple[int, float]], sizes: list[int]) -> None:
    rows = [row(f"{i}", "" if p < 0 else f"{p}", d) for i, (p, d) in enumerate(links)]
    families, start = Families(), 0
    for size in [*sizes, len(rows)]:
        families.add(rows[start : start + size])
        start += size
    parents = [families.parent(i) for i in range(len(rows))]
    for i, (wanted, _) in enumerate(links):
        above, seen = i, []
        while parents[above] >= 0:
            above = parents[above]
            seen.append(above)
        assert i not in seen
        assert families.root(i) == above
        assert families.generation(i) == len(seen)
        missing = parents[i] < 0 and 0 <= wanted < len(rows)
        assert parents[i] == wanted or parents[i] == -1
        assert not missing or families.root(wanted) == i
    roots = [families.root(i) for i in range(len(rows))]
    assert all(families.members(root) == roots.count(root) for root in set(roots))
    assert all(families.fan_out(i) == parents.count(i) for i in range(len(rows)))
    rows_M, forest, factor_M = families.related()
    assert forest.fan_out_N.tolist() == [families.fan_out(i) for i in rows_M.tolist()]
    joined = np.array([parents[i] >= 0 for i in rows_M.tolist()], dtype=np.bool_)
    given_M = np.array([links[i][1] for i in rows_M.tolist()])
    assert np.array_equal(factor_M, np.where(joined, given_M, 1.0))
