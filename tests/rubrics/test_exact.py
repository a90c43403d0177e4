from __future__ import annotations

import pytest

from curriculum_env.rubrics.exact import exact_match


@pytest.mark.parametrize("answer", ["Paris", " paris. ", "PARIS", "Ｐａｒｉｓ", "“Paris”"])
def test_case_space_and_punctuation_do_not_matter(answer: str) -> None:
    assert exact_match("Paris", answer)


@pytest.mark.parametrize("answer", ["", " . ", "Pariss", "Par is", "Paris, London", "not Paris"])
def test_anything_else_does(answer: str) -> None:
    assert not exact_match("Paris", answer)


def test_an_empty_gold_matches_nothing() -> None:
    assert not exact_match("", "")
    assert not exact_match([], "x")


def test_one_of_several() -> None:
    assert exact_match(["colour", "color"], "Color")
    assert not exact_match(["colour", "color"], "colours")


def test_strict_compares_as_written() -> None:
    assert exact_match("Paris", "Paris", strict=True)
    assert not exact_match("Paris", "paris", strict=True)
    assert not exact_match("", "", strict=True)
