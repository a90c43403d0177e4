from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from curriculum_env.errors import PoolError
from curriculum_env.pool.content import answer_of, fingerprint, prompt_of, prompt_text

CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is 2+2?"}]


def test_a_chat_of_one_user_message_is_its_text() -> None:
    assert prompt_of([{"role": "user", "content": " Hello "}]) == "Hello"
    assert prompt_of(CHAT) == CHAT
    assert prompt_text(prompt_of(CHAT)) == "What is 2+2?"
    parts = [{"type": "text", "text": "See"}, {"type": "text", "text": "this"}]
    assert prompt_of([{"role": "user", "content": parts}]) == "See\nthis"


@pytest.mark.parametrize(
    "prompt",
    [None, "", "  ", 7, [], [{"role": "robot", "content": "x"}], [{"role": "user"}], "a\0b",
     "\ud800", [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}], ["hi"]],
)  # fmt: skip
def test_what_is_no_prompt_is_refused(prompt: Any) -> None:
    with pytest.raises(PoolError, match="prompt"):
        prompt_of(prompt)


@pytest.mark.parametrize(
    ("value", "answer"),
    [(" 4 ", "4"), (4, "4"), (4.0, "4"), (0.5, "0.5"), (True, "True"), (Decimal("1.50"), "1.50"),
     (["4"], "4"), (["4", "four", "4"], ["4", "four"]), ((1, 2.5), ["1", "2.5"]),
     (10**30, str(10**30))],
)  # fmt: skip
def test_answers_are_texts(value: Any, answer: Any) -> None:
    assert answer_of(value) == answer


@pytest.mark.parametrize(
    "value", [None, "", " ", [], [None], {}, float("nan"), float("inf"), b"4", ["4", ""], "a\0"]
)
def test_what_is_no_answer_is_refused(value: Any) -> None:
    with pytest.raises(PoolError, match="answer"):
        answer_of(value)


def test_the_fingerprint_is_that_of_the_folded_prompt() -> None:
    # sha256 of "what is 2+2?"
    assert fingerprint("What  is\n2+2?") == "61a3385003d9b9d3"
    assert fingerprint("What  is\n2+2?") == fingerprint(CHAT)
