from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.sim.tiny.text import END, PAD, answer_ids, left_padded, prompt_ids, written

NUMBERS = st.integers(0, 99_999)


@given(a=NUMBERS, b=NUMBERS)
def test_a_question_is_read_as_its_sum_however_it_is_asked(a: int, b: int) -> None:
    bare = prompt_ids(f"{a}+{b}")
    assert bare == prompt_ids(f"What is {a} + {b}? Answer with the number only.")
    assert bare == prompt_ids(f"{a}+{b}=")
    assert len(bare) == len(f"{a}+{b}=")


@given(answer=NUMBERS, more=st.lists(st.integers(0, 13)))
def test_an_answer_comes_back_from_its_tokens_whatever_follows_its_end(
    answer: int, more: list[int]
) -> None:
    ids = answer_ids(answer)
    assert ids[-1] == END
    assert written([PAD, *ids, *more]) == str(answer)


def test_answers_begin_with_their_last_digit() -> None:
    assert answer_ids(120)[0] == answer_ids(0)[0]


def test_prompts_are_padded_in_front() -> None:
    assert left_padded([[5], [6, 7, 8]]) == [[PAD, PAD, 5], [6, 7, 8]]
