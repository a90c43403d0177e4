"""The code in a reply.

The last fenced block of Python counts, one that defines the function asked for before any other;
a block that was never closed goes to the end of the reply. A reply without a fence is code only if
it begins like code. What stands in `<think>` does not count.
"""

from __future__ import annotations

import re

THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
BLOCK = re.compile(
    r"^[ \t]*(?:```+|~~~+)[ \t]*([\w+#.-]*)[^\n]*\n(.*?)(?:^[ \t]*(?:```+|~~~+)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
PYTHON = {"", "py", "python", "python3", "py3"}
BARE = re.compile(r"(?:def|class|import|from|@|#!|async def|if __name__|print\(|[A-Za-z_]\w* *=)")


def parse_code(reply: str, function: str = "") -> str | None:
    """The code that `reply` settles on; None if there is none.

    `function` is the name that a block should define, if any does.
    """
    text = THOUGHT.sub("", reply)
    blocks = [code for language, code in BLOCK.findall(text) if language.lower() in PYTHON]
    blocks = [code for code in blocks if code.strip()]
    if blocks:
        defining = [code for code in blocks if _defines(code, function)]
        return str((defining or blocks)[-1])
    bare = text.strip()
    return bare + "\n" if BARE.match(bare) and "```" not in bare else None


def _defines(code: str, function: str) -> bool:
    return bool(function) and re.search(rf"\bdef +{re.escape(function)}\b", code) is not None
