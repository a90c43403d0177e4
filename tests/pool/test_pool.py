from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from curriculum_env.errors import PoolError
from curriculum_env.pool import Pool
from curriculum_env.types import Row, content_uid


def row(uid: str, **fields: Any) -> Row:
    return Row(uid=uid, data={"uid": uid}, **fields)


def test_rows_are_found_by_position_and_by_uid() -> None:
    pool = Pool([row("a"), row("b")])
    assert (len(pool), pool[1].uid, pool.index("b"), pool.find("c")) == (2, "b", 1, None)
    assert [item.uid for item in pool] == ["a", "b"]
    assert pool.uids().tolist() == [b"a", b"b"]
    with pytest.raises(KeyError):
        pool.index("c")


def test_it_grows_at_the_end_and_counts_its_buckets() -> None:
    pool = Pool([row("a", domain="x", level="1")])
    assert pool.add([row("b", domain="x", level="1"), row("c", domain="y")]) == [pool[1], pool[2]]
    assert pool.buckets == {("x", "1"): 2, ("y", ""): 1}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("not a row", ["row 1", "str", "curriculum_env.Row"]),
        (row(""), ["row 1", "''", "ASCII"]),
        (row("é"), ["row 1", "ASCII"]),
        (Row(uid=cast(str, 7), data={}), ["row 1", "7", "ASCII"]),
        (row("x" * 300), ["row 1", "1 to 256"]),
        (row("x\0"), ["row 1", "ASCII"]),
        (row("x", level=cast(str, 2)), ["row 1 (x)", "level 2", "str(level)"]),
        (row("x", domain=cast(str, None)), ["row 1 (x)", "domain None"]),
        (row("x", level="\ud800"), ["row 1 (x)", "level"]),
        (Row(uid="x", data=cast("Mapping[str, Any]", [1])), ["row 1", "list", "mapping"]),
        (row("x", prior_passes=9, prior_attempts=8), ["prior_passes=9", "<= attempts"]),
        (row("x", parent="é"), ["parent", "uid of another row"]),
        (row("x", factor=0.0), ["factor 0.0", "above 0"]),
        (row("x", prior_attempts=float("nan")), ["nan", "finite"]),
        (row("a"), ["rows 0 and 1", "'a'", "duplicate"]),
    ],
)
def test_a_bad_row_is_named_and_none_is_added(bad: Any, words: list[str]) -> None:
    pool = Pool()
    with pytest.raises(PoolError) as caught:
        pool.add([row("a"), bad])
    assert all(word in str(caught.value) for word in words), caught.value
    assert len(pool) == 0


def test_a_duplicate_of_an_earlier_row_is_named() -> None:
    pool = Pool([row("a"), row("b")])
    with pytest.raises(PoolError, match="rows 1 and 3"):
        pool.add([row("c"), row("b")])
    assert len(pool) == 2
    assert pool.find("c") is None


def test_content_uids_do_not_depend_on_the_order_of_keys() -> None:
    assert content_uid({"a": 1, "b": "é"}) == content_uid({"b": "é", "a": 1})
    assert content_uid({"a": 1}) != content_uid({"a": 2})
    assert len(content_uid({})) == 16
    with pytest.raises(TypeError):
        content_uid({"a": object()})
