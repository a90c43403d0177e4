from __future__ import annotations

import math
from typing import Any

import pytest

from curriculum_env.rubrics.code.compare import same_output, same_value

SAME_OUTPUT = [
    ("1 2\n3\n", "1 2\n3"),
    ("1 2\n", "1 2  \n\n\n"),
    ("1 2", "1   2"),
    ("0.5\n", "0.5000001\n"),
    ("3.0", "3"),
    ("1e-7", "0.0000001"),
    ("x\r\ny", "x\ny"),
    ("", "\n"),
    ("nan", "nan"),
]
OTHER_OUTPUT = [
    ("1 2\n3", "1 2 3"),
    ("1\n\n2", "1\n2"),
    ("Yes", "yes"),
    ("3", "3.0"),
    ("12345678901234567890", "12345678901234567891"),
    ("1000000", "1000001"),
    ("0.5", "0.5001"),
    ("0.5", "nan"),
    ("nan", "0.5"),
    ("0.5", "0.5 0.5"),
    ("0.5", ""),
    ("", "0"),
    ("1.5", "inf"),
    ("1.5", "1_5e-1"),
    ("1.5" + "0" * 500, "1.6" + "0" * 500),
]
SAME_VALUE: list[tuple[Any, Any]] = [
    ([1, 2], (1, 2)),
    ([[1], [2]], ((1,), [2])),
    ([1, 2], iter([1, 2])),
    (0.1 + 0.2, 0.3),
    ({"a": [1.0]}, {"a": [1.0 + 1e-9]}),
    (2.0, 2),
    (math.nan, math.nan),
    (None, None),
    (True, True),
    ("x", "x"),
]
OTHER_VALUE: list[tuple[Any, Any]] = [
    ([1, 2], [1, 2, 3]),
    ([1, 2], {1, 2}),
    ([1, 2], "12"),
    ({"a": 1}, {"b": 1}),
    (1.0, 1.1),
    (1.0, 10**400),
    (1.0, "1.0"),
    (1.0, math.nan),
    (3, 3.0001),
    (None, 0),
    ("x", "X"),
]


@pytest.mark.parametrize(("expected", "found"), SAME_OUTPUT)
def test_the_same_output(expected: str, found: str) -> None:
    assert same_output(expected, found)


@pytest.mark.parametrize(("expected", "found"), OTHER_OUTPUT)
def test_another_output(expected: str, found: str) -> None:
    assert not same_output(expected, found)


@pytest.mark.parametrize(("expected", "found"), SAME_VALUE)
def test_the_same_value(expected: Any, found: Any) -> None:
    assert same_value(expected, found)


@pytest.mark.parametrize(("expected", "found"), OTHER_VALUE)
def test_another_value(expected: Any, found: Any) -> None:
    assert not same_value(expected, found)
