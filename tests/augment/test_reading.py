"""What is read from a proposer's reply, and how the prompts fence what they quote."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.augment.parsing import parse_answer, parse_variant
from curriculum_env.augment.prompts import EXAMPLES, answer_prompt, teacher_prompt, variant_prompt
from curriculum_env.augment.proposal import (
    KINDS,
    REASONS,
    Discard,
    Kind,
    Variant,
    clamped,
    storable,
)
from curriculum_env.augment.steering import steers
from curriculum_env.augment.teacher.verdict import parse_verdict
from curriculum_env.testing.augmenting import fenced


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("<problem>1 + 2?</problem>", Variant("1 + 2?")),
        ("Sure:\n<problem>\n1 + 2?\n</problem>\n<difficulty>1.2</difficulty>", ("1 + 2?", 1.2)),
        ("<problem>x y</problem><difficulty> 0.9x </difficulty>", ("x y", 0.9)),
        ("<problem>x y</problem><difficulty>7</difficulty>", ("x y", 1.33)),
        ("<problem>x y</problem><difficulty>0.1</difficulty>", ("x y", 0.75)),
        ("<problem>x y</problem><difficulty>0</difficulty>", ("x y", 1.0)),
        ("<problem>x y</problem><difficulty>nan</difficulty>", ("x y", 1.0)),
        ("<problem>x y</problem><difficulty>1e999</difficulty>", ("x y", 1.0)),
        ("<problem>x y</problem><difficulty>-1</difficulty>", ("x y", 1.0)),
        ("<problem>x</problem><difficulty>1</difficulty><difficulty>1.3</difficulty>", ("x", 1.0)),
        ("<think><problem>draft</problem></think><problem>x y</problem>", ("x y", 1.0)),
        ("a thought that opens nowhere</think><problem>x y</problem>", ("x y", 1.0)),
        ("<problem>a < b and b > c</problem>", ("a < b and b > c", 1.0)),
        ("", "no_problem"),
        ("1 + 2?", "no_problem"),
        ("<problem>   </problem>", "no_problem"),
        ("<problem>never closed", "no_problem"),
        ("<think><problem>x y</problem>", "no_problem"),
        ("<problem>x</problem><problem>y</problem>", "tags"),
        ("<problem>x <problem>y</problem>", "tags"),
        ("<problem>x</problem> </problem>", "tags"),
        ("<problem>x </ Problem></problem>", "tags"),
        ("<problem>x <answer>5</answer></problem>", "tags"),
        ("<problem>x <difficulty>5</difficulty></problem>", "tags"),
    ],
)
def test_a_variant_is_one_tagged_problem(
    reply: str, found: Variant | tuple[str, float] | str
) -> None:
    read = parse_variant(reply)
    if isinstance(found, str):
        assert isinstance(read, Discard)
        assert read.reason == found
    else:
        assert read == (found if isinstance(found, Variant) else Variant(*found))


@given(st.text())
def test_any_reply_is_read_or_refused(reply: str) -> None:
    read = parse_variant(reply)
    assert isinstance(read, Variant | Discard)
    parse_answer(reply)


@pytest.mark.parametrize("opening", ["<think>", "<problem>", "<difficulty>", "<answer>"])
def test_long_replies_are_read_in_time(opening: str) -> None:
    parse_variant(opening * 200_000)
    parse_answer(opening * 200_000)


@pytest.mark.parametrize("opening", ["<problem>x y</problem><", "```", "<", "answer is", "{"])
def test_long_runs_of_blanks_are_read_in_time(opening: str) -> None:
    begun = time.thread_time()
    for read in (parse_variant, parse_answer, parse_verdict, steers):
        read(opening + " " * 20_000 + "x")
    assert time.thread_time() - begun < 0.5


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("so <answer> 12 </answer>", "12"),
        ("<answer>12</answer> yes, <answer>12</answer>", "12"),
        ("<answer>12</answer> or <answer>13</answer>", None),
        ("<answer></answer>", None),
        ("12", None),
        ("<think><answer>1</answer></think><answer>2</answer>", "2"),
    ],
)
def test_an_answer_is_one_tagged_text(reply: str, answer: str | None) -> None:
    assert parse_answer(reply) == answer


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")))
def test_no_problem_can_close_its_fence(problem: str) -> None:
    for prompt in (
        variant_prompt(problem, "numbers")[-1]["content"],
        teacher_prompt(problem),
        answer_prompt(problem),
    ):
        assert fenced(prompt) == problem
        fence = re.findall(r"^=== [0-9a-f]{16} ===$", prompt, re.MULTILINE)[-1]
        assert fence not in problem


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_an_example_that_reads_as_one(kind: Kind) -> None:
    example = EXAMPLES[kind]
    _, written, _ = variant_prompt("What is 1 + 2?", kind)
    assert parse_variant(written["content"]) == Variant(example.variant, example.factor)
    assert clamped(example.factor, kind) == example.factor
    assert example.variant != example.problem


def test_a_problem_with_braces_is_only_quoted() -> None:
    assert "{problem} {0} {{x}}" in variant_prompt("{problem} {0} {{x}}", "harder")[2]["content"]


@pytest.mark.parametrize(
    ("factor", "kind", "clamp"),
    [
        (0.8, "harder", 1.0),
        (1.2, "easier", 1.0),
        (1.2, "harder", 1.2),
        (float("inf"), "numbers", 1),
    ],
)
def test_a_factor_agrees_with_its_kind(factor: float, kind: Kind, clamp: float) -> None:
    assert clamped(factor, kind) == clamp


@given(st.text(max_size=400))
def test_the_detail_of_a_discard_can_be_stored(text: str) -> None:
    detail = Discard("bad_reply", text + "\0\ud800").detail
    assert storable(detail)
    assert len(detail) <= 200


def test_every_reason_is_explained() -> None:
    assert all(text and not text.endswith(".") for text in REASONS.values())
    assert {Discard(reason).reason for reason in REASONS} == set(REASONS)
