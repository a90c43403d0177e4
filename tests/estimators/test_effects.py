from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.estimators.effects import PER_KIND, Kind, encode, magnitude, stack, words
from curriculum_env.types import Row


def kinds(row: Row, text: str | None = None) -> list[Kind]:
    return [Kind(slot // PER_KIND) for slot in encode([row], text)[:, 0].tolist()]


def slots(features: dict[str, Any]) -> set[int]:
    return set(encode([Row("a", {}, features=features)])[:, 0].tolist())


def test_a_row_has_the_effects_it_tells_of() -> None:
    assert kinds(Row("a", {})) == []
    assert kinds(Row("a", {}, "math")) == [Kind.DOMAIN]
    assert kinds(Row("a", {}, "math", "3")) == [Kind.DOMAIN, Kind.BUCKET]
    told = Row("a", {"q": "add them"}, "math", "3", {"size": 2, "op": "+"})
    assert kinds(told) == [Kind.DOMAIN, Kind.BUCKET, Kind.FEATURE, Kind.FEATURE, Kind.CELL]
    assert kinds(told, "q")[5:] == [Kind.WORD] * 3


def test_rows_share_effects_by_name_whatever_the_pool() -> None:
    one, other = Row("a", {}, "d", "1", {"x": 1}), Row("b", {}, "d", "2", {"x": 1})
    alone, together = encode([other]), encode([one, other])
    assert np.array_equal(alone[:, 0], together[:, 1])
    assert len(set(together[:, 0]) & set(together[:, 1])) == 2


def test_pools_of_different_width_are_padded() -> None:
    plain, told = Row("a", {}, "d"), Row("b", {}, "d", "1", {"x": 1})
    stacked = stack(encode([plain]), encode([told]))
    assert np.array_equal(stacked, encode([plain, told]))
    assert stack(encode([]), encode([told])).shape == (4, 1)


def test_numbers_are_classes() -> None:
    assert [magnitude(x) for x in (3.0, -16.0, 0.0)] == ["3", "-16", "0"]
    assert magnitude(0.31) == magnitude(0.39) != magnitude(0.41)
    assert magnitude(100.0) == magnitude(107.0) != magnitude(150.0)
    assert magnitude(-100.0) != magnitude(100.0)
    assert slots({"x": 2}) == slots({"x": 2.0}) != slots({"x": True})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_has_a_class(value: float) -> None:
    assert magnitude(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "text", [1, 2], {"a": 1}])
def test_any_feature_can_be_encoded(value: Any) -> None:
    assert len(slots({"x": value})) == 2


def test_words_are_few_and_the_same_for_similar_texts() -> None:
    text = "Natalia sold clips to 48 of her friends in April and then she sold half as many in May"
    assert len(words(text)) == 24
    assert len(set(words(text)) & set(words(text.replace("48", "57")))) == 24
    assert len(set(words(text)) & set(words(text.replace("May", "June")))) > 18
    assert words(None) == words("") == []


def test_only_sixteen_features_are_read() -> None:
    assert len(slots({f"f{i:02}": i for i in range(40)})) == 17
