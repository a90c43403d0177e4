"""Replies to the problems that come with the package."""

from __future__ import annotations

from math_curriculum.dataset import Where, answers_of, heldout_rows, train_rows
from math_curriculum.question import PROMPT

from curriculum_env import Row

SHIPPED = Where()


def shipped() -> list[Row]:
    """All of the problems."""
    return [*train_rows(SHIPPED), *heldout_rows(SHIPPED)]


def reply(prompt: str) -> str:
    """The right answer to a prompt, with a few words around it."""
    question = prompt.removesuffix(PROMPT.removeprefix("{problem}"))
    (row,) = [row for row in shipped() if row.data["prompt"] == question]
    return f"Let us see. The answer is $\\boxed{{{answers_of(row.data)[0]}}}$."
