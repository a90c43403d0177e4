"""Answers and questions that a dataset wraps in other text."""

from __future__ import annotations

import json
import re
from typing import Any

_BOX = re.compile(r"\\(?:boxed|fbox)\s*")


def after_hashes(text: Any) -> Any:
    """What stands behind the last `####` (GSM8K); thousands separators are left out."""
    if not isinstance(text, str) or "####" not in text:
        return None
    return text.rpartition("####")[2].strip().replace(",", "")


def last_boxed(text: Any) -> Any:
    """The content of the last `\\boxed{...}` (MATH), None where there is none."""
    opening = list(_BOX.finditer(text)) if isinstance(text, str) else []
    if not opening:
        return None
    rest = text[opening[-1].end() :]
    return _braced(rest) if rest.startswith("{") else (re.split(r"[\s$]", rest)[0] or None)


def _braced(text: str) -> str | None:
    depth = 0
    for position, letter in enumerate(text):
        escaped = position > 0 and text[position - 1] == "\\"
        depth += 0 if escaped else (letter == "{") - (letter == "}")
        if depth == 0:
            return text[1:position].strip()
    return None


def json_list(text: Any) -> Any:
    """The list that a text such as `["1/2", "0.5"]` holds (Skywork-OR1); else the text itself."""
    if isinstance(text, str) and text.lstrip().startswith("["):
        try:
            parsed = json.loads(text)
        except ValueError:
            return text
        return parsed if isinstance(parsed, list) and _flat(parsed) else text
    return text


def _flat(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, str | int | float) for value in values)


def unwrap(prompt: Any, prefix: str, suffix: str) -> Any:
    """The prompt without the instructions that a dataset puts around each question."""
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], dict):
        return [{**prompt[0], "content": unwrap(prompt[0].get("content"), prefix, suffix)}]
    if isinstance(prompt, str):
        return prompt.strip().removeprefix(prefix.strip()).removesuffix(suffix.strip()).strip()
    return prompt
