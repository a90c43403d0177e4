from __future__ import annotations

import pytest

from curriculum_env.pool.answers import answer_key
from curriculum_env.pool.normal import tokens_of
from curriculum_env.pool.profile import profile_of
from tests.pool.labelled import FORMULAS


@pytest.mark.parametrize(("latex", "other"), FORMULAS)
def test_latex_and_unicode_are_the_same_tokens(latex: str, other: str) -> None:
    assert tokens_of(latex) == tokens_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("12,345", "12345"), ("$12\\,345$", "12{,}345"), ("0.50", "0.5"), ("007", "7"),
     ("two-digit", "two digit"), ("What's", "what"), ("x_1", "x 1"), ("½", "\\frac12"),
     ("\\begin{cases} a \\end{cases}", "a")],
)  # fmt: skip
def test_spellings_that_are_one(one: str, other: str) -> None:
    assert tokens_of(one) == tokens_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1,2", "12"), ("3 000", "3000"), ("100 200 300", "100200300"), ("x+1", "x-1"), ("x^2", "x2"),
     ("1.5", "15"), ("a<b", "a<=b"), ("求和", "求积")],
)  # fmt: skip
def test_what_is_different_stays_so(one: str, other: str) -> None:
    assert tokens_of(one) != tokens_of(other)


def test_chinese_is_cut_into_letters() -> None:
    assert tokens_of("求x的值") == ["求", "x", "的", "值"]
    assert len(profile_of("甲有三个苹果,乙有5个苹果,问一共有多少个苹果").words) > 13


@pytest.mark.parametrize("text", ["", " ", "$$", "\\", "\\frac", "{}" * 50_000, "\\frac{" * 9_999])
def test_odd_texts_are_quick(text: str) -> None:
    profile = profile_of(text)
    assert len(profile.tokens) <= 10_000


@pytest.mark.parametrize(
    ("one", "other"),
    [("1/2", "\\frac{1}{2}"), ("0.5", "1/2"), ("1,000", "1000"), ("$3$", "3."), ("12 %", "12"),
     ("54pi", "54\\pi"), ("A", "a"), ("-0.50", "-1/2"), ("\\text{yes}", "Yes"),
     ("9m", "9"), ("40 cm^2", "40"), ("7 apples", "7"), ("12 square meters", "12"),
     ("$x = 5$", "5")],
)  # fmt: skip
def test_answers_that_are_one(one: str, other: str) -> None:
    assert answer_key(one) == answer_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "2"), ("1/2", "2/1"), ("-1", "1"), ("(1,2)", "12"), ("x+1", "x-1"), ("1/0", "0"),
     ("2x", "2"), ("2\\pi", "2"), ("5 pm", "5 am"), ("3 million", "3"), ("3\\sqrt{2}", "3"),
     ("5!", "5")],
)  # fmt: skip
def test_answers_that_differ(one: str, other: str) -> None:
    assert answer_key(one) != answer_key(other)
