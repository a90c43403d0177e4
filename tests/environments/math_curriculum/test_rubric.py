from __future__ import annotations

import pytest
from math_curriculum.dataset import answers_of
from math_curriculum.question import asked, text_of
from math_curriculum.rubric import Grade, grade

from tests.environments.math_curriculum.asking import shipped

QUESTION = "Calculate $\\frac{2}{3} + \\frac{3}{4}$ as a fraction."
RIGHT, WRONG, INVALID = Grade(1.0, 1.0, 0.0), Grade(0.0, 0.0, 0.0), Grade(-1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The common denominator is 12, so \\boxed{\\frac{17}{12}}.", RIGHT),
        ("<think>8/12 + 9/12</think> The answer is 17/12.", RIGHT),
        ("\\boxed{\\frac{15}{12}}", WRONG),
        ("\\boxed{\\frac{17}{12}} or \\boxed{\\frac{18}{12}}", WRONG),
        ("\\boxed{\\frac{2}{3} + \\frac{3}{4}}", WRONG),
        ("I do not know.", WRONG),
        ("", INVALID),
        ("<think>It could be 17/12", INVALID),
    ],
)
async def test_replies(reply: str, expected: Grade) -> None:
    assert await grade(reply, ["\\frac{17}{12}"], QUESTION, invalid_reward=-1.0) == expected


async def test_any_of_several_answers_is_right() -> None:
    for answer, reward in (("3", 1.0), ("\\frac{1}{2}", 1.0), ("4", 0.0)):
        graded = await grade(f"\\boxed{{{answer}}}", ["3", "0.5"], "Solve it.")
        assert graded.reward == reward


async def test_of_each_shipped_problem_the_answer_is_right_and_the_question_is_not() -> None:
    for row in shipped():
        question, (answer,) = row.data["prompt"], answers_of(row.data)
        assert (await grade(f"\\boxed{{{answer}}}", [answer], question)).correct == 1.0
        assert (await grade(f"\\boxed{{{answer} + 1}}", [answer], question)).reward == 0.0
        assert (await grade(question, [answer], question)).reward == 0.0


def test_a_conversation_is_asked_in_its_last_message() -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1 + 1?"}]
    assert asked(chat, "{problem} Box it.") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "1 + 1? Box it."},
    ]
    assert asked("a {problem} in it", "So: {problem}!") == "So: a {problem} in it!"
    assert text_of(chat) == "Be brief.\n\n1 + 1?"
