"""How a problem is asked."""

from __future__ import annotations

from typing import Any

PROMPT = "{problem}\n\nReason step by step, and put the final answer into \\boxed{}."


def asked(problem: Any, prompt: str = PROMPT) -> Any:
    """The problem in the place of `{problem}` in `prompt`; of a conversation, its last message."""
    if isinstance(problem, str):
        return prompt.replace("{problem}", problem)
    *before, last = problem
    return [*before, {**last, "content": prompt.replace("{problem}", last["content"])}]


def text_of(problem: Any) -> str:
    """What the model is shown, as one text."""
    if isinstance(problem, str):
        return problem
    return "\n\n".join(str(message["content"]) for message in problem)
