from __future__ import annotations

import datetime
import json
import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.rubrics.code.inside.codec import decode, encode

Point = namedtuple("Point", "x y")
MOMENT = datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC)

hashable = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.dates(),
)
values = st.recursive(
    hashable,
    lambda inner: st.one_of(
        st.lists(inner),
        st.tuples(inner, inner),
        st.dictionaries(hashable, inner),
        st.sets(hashable),
        st.frozensets(hashable),
    ),
    max_leaves=12,
)


def round_trip(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value))))


@given(values)
def test_plain_data_comes_back_as_it_was(value: Any) -> None:
    again = round_trip(value)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Point(1, 2), (1, 2)),
        (Counter("aab"), {"a": 2, "b": 1}),
        (defaultdict(list, {1: [2]}), {1: [2]}),
        (OrderedDict(a=1), {"a": 1}),
        (deque([1, 2]), deque([1, 2])),
        (range(1, 9, 3), range(1, 9, 3)),
        (10**6000, 10**6000),
        (-(10**6000), -(10**6000)),
        (1 + 2j, 1 + 2j),
        (math.inf, math.inf),
        (bytearray(b"x"), bytearray(b"x")),
        (MOMENT, MOMENT),
        (Decimal("1.10"), Decimal("1.10")),
        (Fraction(1, 3), Fraction(1, 3)),
        ("\ud800", "\ud800"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_almost_plain_becomes_plain(value: Any, plain: Any) -> None:
    again = round_trip(value)
    assert again == plain
    assert type(again) is type(plain)


def test_iterators_and_views_come_back_as_iterators() -> None:
    for value in (iter([1, 2]), (n for n in (1, 2)), map(int, "12"), {1: 0, 2: 0}.keys()):
        assert list(round_trip(value)) == [1, 2]


class Liar(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


def test_a_class_of_the_senders_own_is_gone() -> None:
    for value in (Liar(3), [Liar(3)], {"a": Liar(3)}):
        assert "Liar" not in json.dumps(encode(value))
    assert type(round_trip(Liar(3))) is int
    assert round_trip(Liar(3)) != 4


@pytest.mark.parametrize("value", [object(), len, lambda: 0, Liar, ValueError("x"), [object()]])
def test_what_is_no_data_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="not plain data"):
        encode(value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["list", "dict", "int", "range", "set", "Decimal", "date", "x"]), inner
        )
    ),
)


@given(json_values)
def test_whatever_is_sent_is_decoded_or_refused(data: Any) -> None:
    try:
        decode(data)
    except ValueError:
        return
