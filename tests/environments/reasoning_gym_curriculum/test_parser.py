from __future__ import annotations

import pytest
from reasoning_gym_curriculum.parser import parse_answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("It is <answer> 42 </answer>.", "42"),
        ("<answer>1</answer> no, <answer>2</answer>", "2"),
        ("<answer>a b\nc d\n</answer>", "a b\nc d"),
        ("42", "42"),
        ("<think>perhaps <answer>1</answer></think>7", "7"),
        ("<think><answer>1</answer> and so on", ""),
        ("<answer>unfinished", "<answer>unfinished"),
        ("<answer></answer>", ""),
        ("", ""),
    ],
)
def test_the_answer_of_a_reply(reply: str, answer: str) -> None:
    assert parse_answer(reply) == answer
