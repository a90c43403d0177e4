"""What a completion says aloud: its thoughts are no answer."""

from __future__ import annotations

_ENDS = ("</think>", "</thinking>", "</thought>", "<|end_of_thought|>")
_STARTS = ("<think>", "<thinking>", "<thought>", "<|begin_of_thought|>")


def spoken(completion: str) -> str:
    """What follows the last thought; nothing when the last thought never ended.

    The opening mark may be missing, as where the chat template wrote it into the prompt.
    """
    end = max(completion.rfind(mark) + len(mark) * (mark in completion) for mark in _ENDS)
    text = completion[max(end, 0) :]
    return "" if any(mark in text for mark in _STARTS) else text
