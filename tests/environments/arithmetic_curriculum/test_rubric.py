from __future__ import annotations

from arithmetic_curriculum.rubric import Grade, grade


def test_right_wrong_invalid() -> None:
    assert grade("12", 12) == Grade(reward=1.0, correct=1.0, invalid=0.0)
    assert grade("13", 12) == Grade(reward=0.0, correct=0.0, invalid=0.0)
    assert grade("twelve", 12) == Grade(reward=0.0, correct=0.0, invalid=1.0)


def test_the_invalid_reward_touches_invalid_replies_alone() -> None:
    assert grade("twelve", 12, invalid_reward=-1.0) == Grade(-1.0, 0.0, 1.0)
    assert grade("12", 12, invalid_reward=-1.0).reward == 1.0
    assert grade("13", 12, invalid_reward=-1.0).reward == 0.0


def test_repeating_the_question_earns_nothing() -> None:
    assert grade("What is 0 + 5?", 5).invalid == 1.0
    assert grade(r"\boxed{5=7}", 7).correct == 0.0
    assert grade("10 / 2", 5).correct == 0.0


def test_close_is_not_right() -> None:
    assert grade("12.0", 12).correct == 1.0
    assert grade("12.0000001", 12).correct == 0.0
