"""What an environment may say about variants of its tasks, with defaults that fit a row whose data
has a prompt and an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from curriculum_env.augment.parsing import parse_answer, parse_variant
from curriculum_env.augment.prompts import answer_prompt, variant_prompt
from curriculum_env.augment.proposal import Annotation, Discard, Kind, Variant
from curriculum_env.errors import PoolError
from curriculum_env.types import Row, content_uid

if TYPE_CHECKING:
    from curriculum_env.pool.content import Prompt

PROMPTS = ("prompt", "question", "problem")
ANSWERS = ("answer", "answers")
NUMBER = re.compile(r"[-+]?[0-9]{1,300}(?:\.[0-9]{1,300})?")

Solver: TypeAlias = Callable[[Row, str], Annotation | Discard]
"""Answers a problem, given its parent, without a model. Called from threads, one at a time."""


class AugmentHooks:
    """The hooks of an environment. None of them may block for long or reach the network."""

    def augment_text(self, row: Row) -> str:
        """The problem of a row, without the instructions around it."""
        from curriculum_env.pool.content import prompt_of, prompt_text

        return prompt_text(prompt_of(row.data[prompt_field(row.data)]))

    def augment_prompt(self, parent: Row, kind: Kind) -> Prompt:
        """What the policy is asked, to write a variant."""
        return variant_prompt(self.augment_text(parent), kind)

    def augment_parse(self, parent: Row, reply: str) -> Variant | Discard:
        """The variant that the policy's reply holds."""
        return parse_variant(reply)

    def augment_variant(self, parent: Row, kind: Kind, number: int) -> Row | None:
        """A variant that the environment makes itself, answer and all: another one for each number
        from 0 on, the same for the same number. By default it makes none."""
        return None

    def augment_question(self, parent: Row, problem: str) -> Prompt:
        """How the policy is asked to answer a problem (`teacher.type = "self"`)."""
        return answer_prompt(problem)

    def augment_answer(self, parent: Row, reply: str) -> str | None:
        """The answer that a reply to `augment_question` settles on; None where there is none."""
        return parse_answer(reply)

    def teacher(self) -> Solver | None:
        """What answers the environment's problems without a model (`teacher.type = "symbolic"`);
        None where nothing does."""
        return None

    def augment_answer_changes(self, parent: Row, problem: str) -> bool:
        """Whether a problem, the parent's with other numbers, cannot have the parent's answer."""
        return False

    def child(self, parent: Row, problem: str, answer: str) -> Row | None:
        """The row of a variant; None where it makes no task. By default the parent's data with
        another prompt and answer: domain, level and features stay."""
        return default_child(parent, problem, answer)

    async def augment_accepts(self, row: Row) -> bool | None:
        """Whether the environment's rubric takes the row's answer for right; None where that cannot
        be said."""
        return None


def prompt_field(data: Mapping[str, Any]) -> str:
    """The field of a row's data that holds its prompt.

    Raises:
        PoolError: none of them does.
    """
    for name in PROMPTS:
        if data.get(name):
            return name
    raise PoolError(
        f"a row has the data {', '.join(data)}; expected one of {', '.join(PROMPTS)} to make "
        "variants of it: define augment_text() and child() in the taskset"
    )


def answers_of(row: Row) -> list[str]:
    """The accepted answers of a row, as text; none where its data names none."""
    value = next((row.data[name] for name in ANSWERS if row.data.get(name) is not None), None)
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [str(one) for one in values]


def default_child(parent: Row, problem: str, answer: str) -> Row | None:
    """The parent's data with another prompt and answer, each of the type it had; None where it
    tells either in a second field, in other words, for that would still tell the parent's."""
    where = prompt_field(parent.data)
    named = next((name for name in ANSWERS if name in parent.data), None)
    if named is None:
        return None
    value = alike(parent.data[named], answer)
    if value is None:
        return None
    prompt = asked_instead(parent.data[where], problem)
    data = {**parent.data, where: prompt, named: value}
    for names, told, now in ((PROMPTS, where, prompt), (ANSWERS, named, value)):
        for name in names:
            if name != told and data.get(name):
                if data[name] != parent.data[told]:
                    return None
                data[name] = now
    if "fingerprint" in data:
        from curriculum_env.pool.content import fingerprint

        data["fingerprint"] = fingerprint(prompt)
    uid = content_uid({"prompt": prompt, "answer": value})
    return Row(uid, data, parent.domain, parent.level, parent.features)


def asked_instead(prompt: Any, problem: str) -> Any:
    """`problem` in the place of a prompt: of a chat, of its last user message."""
    if isinstance(prompt, str):
        return problem
    last = max(i for i, message in enumerate(prompt) if message["role"] == "user")
    return [*prompt[:last], {**prompt[last], "content": problem}, *prompt[last + 1 :]]


def alike(example: Any, answer: str) -> Any:
    """`answer` as a value of the type of `example`; None where it cannot be one."""
    if isinstance(example, list):
        one = alike(example[0], answer) if example else answer
        return None if one is None else [one]
    if isinstance(example, bool) or not isinstance(example, int | float):
        return answer
    number = answer.replace(",", "").strip()
    if not NUMBER.fullmatch(number):
        return None
    value = Fraction(number)
    if isinstance(example, float):
        return float(value)
    return int(value) if value.denominator == 1 else None
