"""What the tiny policy reads and writes: sums such as `12+345=`, answered last digit first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

PAD, END = 0, 1
SYMBOLS = "0123456789+="
VOCABULARY = ("<pad>", "<end>", *SYMBOLS)
OTHERS = re.compile(r"[^0-9+=]")

_IDS = {symbol: number for number, symbol in enumerate(VOCABULARY)}
_PLUS, _EQUALS = _IDS["+"], _IDS["="]


def prompt_ids(question: str) -> list[int]:
    """The sum that `question` asks for, closed by `=`; whatever else it says is not read."""
    kept = OTHERS.sub("", question).rstrip("=")
    return [*(_IDS[symbol] for symbol in kept), _EQUALS]


def answer_ids(answer: int) -> list[int]:
    """The digits of `answer` from the last to the first, and the end."""
    return [*(_IDS[digit] for digit in reversed(str(answer))), END]


def written(ids: Iterable[int]) -> str:
    """What tokens say: those before the end, the right way round."""
    kept: list[str] = []
    for number in ids:
        if number == END:
            break
        if number != PAD:
            kept.append(VOCABULARY[number])
    return "".join(reversed(kept))


def left_padded(prompts: Sequence[Sequence[int]]) -> list[list[int]]:
    """The prompts, made equally long by padding in front."""
    width = max(map(len, prompts))
    return [[PAD] * (width - len(prompt)) + list(prompt) for prompt in prompts]
