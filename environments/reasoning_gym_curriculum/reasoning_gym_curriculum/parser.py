"""What of a reply is the answer: the last <answer>...</answer>, else all of it."""

from __future__ import annotations

import re

THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


def parse_answer(reply: str) -> str:
    """The answer without the white space around it; empty when there is none.

    Thoughts (`<think>`) do not count, finished or not.
    """
    spoken = THOUGHT.sub("", reply)
    tagged = TAGGED.findall(spoken)
    return str(tagged[-1] if tagged else spoken).strip()
