"""What a task says: its prompt as text or chat, its accepted answers, its fingerprint."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from curriculum_env.errors import PoolError

Prompt: TypeAlias = str | list[dict[str, str]]
"""Text, or messages with `role` and `content`."""

Answer: TypeAlias = str | list[str]
"""The one accepted answer, or several of which any is right."""

ROLES = ("system", "developer", "user", "assistant", "tool")


def prompt_of(value: Any) -> Prompt:
    """`value` as a prompt: a chat of one user message is the text of that message.

    Raises:
        PoolError: it is empty, or neither text nor messages of text.
    """
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, Sequence) or not value:
        raise PoolError(f"the prompt is {_shown(value)}; expected text or chat messages")
    messages = [_message(message) for message in value]
    if len(messages) == 1 and messages[0]["role"] == "user":
        return messages[0]["content"]
    return messages


def _text(value: str) -> str:
    if not value.strip():
        raise PoolError("the prompt is empty; expected text")
    return sound(value.strip(), "prompt")


def sound(text: str, name: str) -> str:
    """`text`, if every store can hold it.

    Raises:
        PoolError: it holds NUL or half a surrogate pair.
    """
    if "\0" in text or not _encodes(text):
        raise PoolError(f"the {name} {text[:40]!r} holds a NUL or half a character; expected text")
    return text


def _message(message: Any) -> dict[str, str]:
    if not isinstance(message, Mapping) or message.get("role") not in ROLES:
        raise PoolError(
            f"the prompt has the message {_shown(message)}; expected a role among "
            f"{', '.join(ROLES)}, and content"
        )
    return {"role": message["role"], "content": _text(_flat(message.get("content")))}


def _flat(content: Any) -> str:
    """The text of a message; parts of text are joined."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        if all(isinstance(part, str) for part in parts):
            return "\n".join(parts)  # type: ignore[arg-type]
    raise PoolError(f"the prompt has the content {_shown(content)}; expected text")


def prompt_text(prompt: Prompt) -> str:
    """The prompt as one text: the messages of a chat are joined, its system message left out."""
    if isinstance(prompt, str):
        return prompt
    said = [message["content"] for message in prompt if message["role"] not in ROLES[:2]]
    return "\n\n".join(said or [message["content"] for message in prompt])


def answer_of(value: Any) -> Answer:
    """`value` (a text, a number, a truth value, or a list of those) as accepted answers.

    Raises:
        PoolError: there is no answer, or it is of another type.
    """
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        answers = list(dict.fromkeys(_one(item) for item in value))
        if not answers:
            raise PoolError("the answer is an empty list; expected at least one answer")
        return answers[0] if len(answers) == 1 else answers
    return _one(value)


def _one(value: Any) -> str:
    if isinstance(value, str):
        if not value.strip():
            raise PoolError("the answer is empty; expected text or a number")
        return sound(value.strip(), "answer")
    if isinstance(value, bool | int | Decimal):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    raise PoolError(f"the answer is {_shown(value)}; expected text, a number or a list of them")


def answers(answer: Answer) -> list[str]:
    """The accepted answers as a list."""
    return [answer] if isinstance(answer, str) else list(answer)


def fingerprint(prompt: Prompt) -> str:
    """The first 16 hex digits of the sha256 of the prompt in lower case, white space folded."""
    folded = " ".join(prompt_text(prompt).lower().split())
    return hashlib.sha256(folded.encode()).hexdigest()[:16]


def as_json(value: Any) -> str:
    """`value` as JSON; letters that no file can hold are escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if _encodes(text) else json.dumps(value, default=str)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{str(value)[:60]!r} ({type(value).__name__})"
