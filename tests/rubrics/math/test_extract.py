from __future__ import annotations

import time

import pytest

from curriculum_env.rubrics.math import extract_answer
from curriculum_env.rubrics.math.judge import judge

PROMPT = "What is the value of $2+3$? Put your answer in \\boxed{}, for example \\boxed{5}."


@pytest.mark.parametrize(
    ("completion", "answer"),
    [
        (r"So \boxed{5}.", "5"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed 5", "5"),
        (r"\boxed{2} and \boxed{3}", "2, 3"),
        (r"\boxed{2}, \boxed{3}", "2, 3"),
        (r"\boxed{5}. In short: \boxed{5}", "5"),
        ("\\boxed{4}. Wait, that is wrong.\n\\boxed{5}", "5"),
        ("One part is \\boxed{4}.\nThe final answer is \\boxed{5}", "5"),
        ("<think>\\boxed{4}</think>\\boxed{5}", "5"),
        ("\\boxed{4}</think>The answer is 5.", "5"),
        ("<answer>5</answer>", "5"),
        ("<answer>The answer is 5.</answer>", "5"),
        ("2 + 3 = 5\n#### 5", "5"),
        ("The answer is $5$ cm.", "5 cm"),
        ("The final answer is\n\n$$\n5\n$$", "5"),
        ("Therefore she has 5 apples.", "5"),
        ("We get $x = 5$.", "x = 5"),
        ("5", "5"),
    ],
)
def test_what_a_completion_settles_on(completion: str, answer: str) -> None:
    assert (extract_answer(completion) or "").strip() == answer


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "   ",
        r"\boxed{}",
        r"\boxed{4} \boxed{5",
        r"First \boxed{4}, then again and again I compute something else, \boxed{5}",
        "\\boxed{4}\n\\boxed{5}\n\nI am done.\n\n\\boxed{6}",
        "<answer>4</answer> I will also say <answer>5</answer>",
        "<think>The answer is \\boxed{5}",
        "</think><think>\\boxed{5}",
        "The answer is not 5.",
        "The answer may be 5.",
        "The answer is 5. The answer is 6.",
        "Is it 5?",
        "There are 4 apples and 5 pears.",
        "If the answer is 5, then we have a problem.",
        "So we can multiply the number of hours by 2 to find the",
        "I do not know.\nI really do not.\nThere is no more to be said about it.",
    ],
)
def test_what_settles_on_nothing(completion: str) -> None:
    if completion.startswith(r"\boxed{4} \boxed{5"):
        assert extract_answer(completion) == "4"
    else:
        assert extract_answer(completion) is None


@pytest.mark.parametrize(
    "completion",
    [
        PROMPT,
        f"{PROMPT}\n",
        "What is the value of $2+3$?",
        "Put your answer in \\boxed{}, for example \\boxed{5}.",
        f"{PROMPT} I shall think about it.",
        r"\boxed{2+3}",
        "The answer is $2+3$.",
        r"\boxed{2 + 3}",
    ],
)
def test_an_echo_of_the_prompt_earns_nothing(completion: str) -> None:
    assert not judge("5", completion, PROMPT).correct


@pytest.mark.parametrize("completion", [f"{PROMPT}\n\\boxed{{5}}", "5", r"\boxed{1+4}", "$2+3=5$"])
def test_a_worked_out_answer_does_whatever_the_prompt_says(completion: str) -> None:
    assert judge("5", completion, PROMPT).correct


def test_a_gold_that_stands_in_the_prompt_may_be_the_answer() -> None:
    assert judge("x+1", r"\boxed{x+1}", "Which is larger, $x$ or $x+1$?").correct
    assert judge("7", r"\boxed{7}", "Which of 5 and 7 is larger?").correct


@pytest.mark.parametrize(
    "text",
    [
        "The answer is 5. " * 3_000,
        "The answer is 5" + " " * 49_000 + "x",
        "#### 5\n" * 7_000,
        "\\boxed{5}\n" + "answer: 6 " * 5_000,
        "\\boxed{5}" + "<answer>" * 6_000,
        "The answer is 5 " + "or " * 16_000,
        "(1," * 16_000,
    ],
    ids=range(7),
)
def test_long_texts_are_read_at_once(text: str) -> None:
    began = time.process_time()
    extract_answer(text)
    assert time.process_time() - began < 2.0
