from __future__ import annotations

import time
from fractions import Fraction

import pytest
from arithmetic_curriculum.parser import parse_answer
from hypothesis import given
from hypothesis import strategies as st

SPELLINGS = {
    "12": 12,
    "-12": -12,
    "12.": 12,
    "+12": 12,
    "12.0": 12,
    "0.5": Fraction(1, 2),
    ".5": Fraction(1, 2),
    "3/4": Fraction(3, 4),
    "1.2e5": 120_000,
    "**12**": 12,
    "`12`": 12,
    "$12": 12,
    "12%": 12,
    "12 apples": 12,
    "12\n": 12,
    # signs
    "−5": -5,
    "–5": -5,
    "－5": -5,
    "= - 5": -5,
    "7 - 10 = −3": -3,
    "The answer is -3.": -3,
    # thousands
    "1,234": 1234,
    "1,234,567": 1_234_567,
    "-1,234.5": Fraction(-2469, 2),
    r"12\,345": 12345,
    "12{,}345": 12345,
    "12\u2009345": 12345,
    "1\u202f234\u202f567": 1_234_567,
    "12\u00a0345": 12345,
    "1,2": 2,
    "1,2345": 2345,
    # boxes
    r"\boxed{12}": 12,
    r"\boxed{-5}": -5,
    r"\boxed{(-5)}": -5,
    r"\boxed{x = 12}": 12,
    r"\boxed{12\text{ apples}}": 12,
    r"$$\boxed{\text{12}}$$": 12,
    r"\boxed{\frac{3}{4}}": Fraction(3, 4),
    r"\boxed{1{,}234}": 1234,
    r"\fbox{12}": 12,
    r"\boxed{3} or rather \boxed{4}": 4,
    r"The answer is 3, so \boxed{4}, not 5.": 4,
    r"\boxed{12": 12,
    # "answer is"
    "The answer is 12. I checked it 2 times.": 12,
    "The answer is: \n\n 12": 12,
    "Answer: **1,234**": 1234,
    "Final answer = 12 (from 3 * 4)": 12,
    "The answer is $x = 12$": 12,
    r"The answer is \(12\).": 12,
    "The answer is 0": 0,
    "The answer is 3 + 4 = 7": 7,
    "The answer is 7 because 3 + 4 = 7, not 8": 7,
    "The answer to 7 + 5 is 12, as 5 + 7": 12,
    "The result of 2 + 3 is 5. 2 was first.": 5,
    "The answer is 12. Is the answer clear? Ask me 1 more thing.": 12,
    "So 3 * 4 = 12\n#### 12": 12,
    # the last number
    "7 + 5 = 12": 12,
    "3 × 4 = 12": 12,
    r"3 \times 4 = 12": 12,
    "(2 + 3) * 4 = 20": 20,
    "12 = 7 + 5": 12,
    "First 3, then 4": 4,
    "- 7\n- 8": 8,
    "<think>It is 3.</think>4": 4,
    # what is denied does not hide what is said
    "The answer is not 13. It is 12.": 12,
    "It is 12, not 13.": 12,
    "The answer isn't 13 but 12": 12,
    "Is the answer 13 or 14? It is 13.": 13,
    "3 or 4 steps later: 12": 12,
    "0.5 = 1/2": Fraction(1, 2),
    "The answer is 12 or 12.0": 12,
}

NOTHING = [
    "",
    "twelve",
    "I cannot say.",
    "x2",
    "٣",
    "<think>3 or 4",
    # left uncalculated: repeating the question is no answer
    "0 + 5",
    "What is 0 + 5?",
    "5 - 0",
    "5–0",
    "1 × 5",
    r"1 \cdot 5",
    "(2 + 3) * 1",
    "10 / 2",
    "10 ÷ 2",
    "2**3",
    "The answer is 0 + 5",
    r"\boxed{0 + 5}",
    r"\boxed{24/2}",
    r"\boxed{\frac{24}{2}}",
    "1/0",
    # a box that holds no single number
    r"\boxed{5=7}",
    r"\boxed{7, 8}",
    r"\boxed{}",
    r"7 + 5 = 12, \boxed{x}",
    # denied, one of several, or said to be two numbers
    "The answer is not 13.",
    "The answer is not equal to 13",
    "It isn't 13",
    r"Not \boxed{13}",
    "13 or 14",
    "Either **13**, or maybe **14**.",
    "The answer is 13 or 14.",
    r"\boxed{13} or \boxed{14}",
    r"\boxed{13} or 14",
    "14 = 13",
    "The answer is 14 = 13",
    # beyond any problem
    "9" * 500,
    "1e9999",
]


@pytest.mark.parametrize(("reply", "number"), SPELLINGS.items(), ids=SPELLINGS)
def test_finds_the_number(reply: str, number: Fraction | int) -> None:
    assert parse_answer(reply) == number


@pytest.mark.parametrize("reply", NOTHING)
def test_finds_nothing(reply: str) -> None:
    assert parse_answer(reply) is None


FRAMES = [
    "{}",
    "{}.",
    "**{}**",
    r"\boxed{{{}}}",
    "The answer is {}.",
    "1 + 1 = {}",
    "Answer: {}\nThat took 7 steps.",
    r"We get \( {} \)",
]


def with_separator(separator: str, number: int) -> str:
    return f"{number:,}".replace(",", separator)


@given(
    number=st.integers(-(10**15), 10**15),
    separator=st.sampled_from(["", ",", r"\,", "{,}", "\u2009", "\u202f", "\u00a0"]),
    minus=st.sampled_from(["-", "−", "–"]),
    frame=st.sampled_from(FRAMES),
)
def test_every_spelling_of_an_integer(number: int, separator: str, minus: str, frame: str) -> None:
    spelled = with_separator(separator, number).replace("-", minus)
    assert parse_answer(frame.format(spelled)) == number


@given(
    value=st.decimals(-(10**6), 10**6, places=3, allow_nan=False, allow_infinity=False),
    frame=st.sampled_from(FRAMES),
)
def test_decimals_are_exact(value: object, frame: str) -> None:
    assert parse_answer(frame.format(value)) == Fraction(str(value))


@given(st.text(alphabet="0123456789+-*/=().,\\boxed{} answeris$\n−", max_size=60))
def test_never_raises(reply: str) -> None:
    number = parse_answer(reply)
    assert number is None or isinstance(number, Fraction)


@pytest.mark.parametrize(
    "piece",
    ["1+", "1 ", "9", "- ", "(", "1,000", "answer is ", "answer", "\\boxed{", "{}", "<think>", "="],
)
def test_a_hostile_reply_takes_linear_time(piece: str) -> None:
    start = time.perf_counter()
    parse_answer("answer = " + piece * 20_000)
    assert time.perf_counter() - start < 2
