from __future__ import annotations

from typing import Any

import pytest

from curriculum_env.pool.extract import after_hashes, json_list, last_boxed, unwrap


@pytest.mark.parametrize(
    ("text", "answer"),
    [("So 3.\n#### 1,234", "1234"), ("#### 1 #### -2.5", "-2.5"), ("no mark", None), (7, None)],
)
def test_after_hashes(text: Any, answer: Any) -> None:
    assert after_hashes(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"\boxed{1} and then \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        (r"\fbox{ 12 }", "12"),
        (r"$\boxed 7$", "7"),
        (r"\boxed {a}", "a"),
        (r"\boxed{\{1, 2\}}", r"\{1, 2\}"),
        (r"\boxed{never closed", None),
        (r"\boxed", None),
        ("no box", None),
        (None, None),
    ],
)
def test_last_boxed(text: Any, answer: Any) -> None:
    assert last_boxed(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [('["1/2", "0.5"]', ["1/2", "0.5"]), ("[1, 2)", "[1, 2)"), ("[[1]]", "[[1]]"), ("[]", "[]"),
     ("7", "7"), (7, 7)],
)  # fmt: skip
def test_json_list(text: Any, answer: Any) -> None:
    assert json_list(text) == answer


def test_unwrap() -> None:
    assert unwrap("Do it. What? Now.", "Do it.", "Now.") == "What?"
    assert unwrap("What?", "Do it.", "Now.") == "What?"
    assert unwrap([{"role": "user", "content": "Do it. What?"}], "Do it.", "") == [
        {"role": "user", "content": "What?"}
    ]
    assert unwrap(None, "a", "b") is None
    chat = [{"role": "system", "content": "Do it."}, {"role": "user", "content": "What?"}]
    assert unwrap(chat, "Do it.", "") == chat
