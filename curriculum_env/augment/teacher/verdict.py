"""A teacher's reply as a verdict: tolerant of spelling, not of two meanings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any, TypeAlias

from curriculum_env.augment.parsing import spoken
from curriculum_env.augment.proposal import LONGEST_ANSWER, Annotation, storable
from curriculum_env.pool.extract import last_boxed

MOST_DIGITS = 300

SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "verdict",
        "strict": True,
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["work", "clean", "solvable", "answer", "difficulty"],
            "properties": {
                "work": {"type": "string"},
                "clean": {"type": "boolean"},
                "solvable": {"type": "boolean"},
                "answer": {"type": ["string", "null"]},
                "difficulty": {"type": "number"},
            },
        },
    },
}
"""What an endpoint that takes a JSON schema is told to write; `work` is where it solves."""

_Object: TypeAlias = dict[str, Any]

_KEYS = {"clean", "solvable", "answer"}
_TRUE, _FALSE = {"true", "yes", "1"}, {"false", "no", "0"}
_NOTHING = {"", "null", "none", "nan", "n/a", "na", "unknown", "undefined"}
_OPENING = re.compile(r'\{\s*"')
"""Of a JSON object with keys, not of a formula."""
_MOST_OBJECTS = 64


class _Unreadable(ValueError):
    """A value that is there and cannot be read."""


def parse_verdict(reply: str, problem: str = "") -> Annotation | None:
    """The verdict of a reply, None where it holds none, several that differ, or one that stands in
    the problem itself."""
    found = _verdicts(spoken(reply).strip())
    if len(found) != 1 or found[0] in _verdicts(problem):
        return None
    try:
        return _annotation(found[0])
    except _Unreadable:
        return None


def _verdicts(text: str) -> list[_Object]:
    """The distinct JSON objects of `text` that look like verdicts."""
    distinct: list[_Object] = []
    for found in _objects(text):
        if found.keys() & _KEYS and found not in distinct:
            distinct.append(found)
    return distinct


def _objects(text: str) -> Iterator[_Object]:
    """The outermost JSON objects that stand in `text`, from left to right."""
    end = 0
    for opening in islice(_OPENING.finditer(text), _MOST_OBJECTS):
        if opening.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError, ArithmeticError):
            continue
        yield value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _once(pairs: list[tuple[str, Any]]) -> _Object:
    found = {key.strip().lower(): value for key, value in pairs}
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=Decimal, parse_float=Decimal, parse_constant=_no_constant
)


def _annotation(found: _Object) -> Annotation:
    return Annotation(
        answer=answer_text(found.get("answer")),
        solvable=_flag(found.get("solvable"), found.get("answer") is not None),
        clean=_flag(found.get("clean"), True),
        difficulty=_share(found.get("difficulty")),
    )


def _flag(value: Any, default: bool) -> bool:
    if value is None:
        return default
    text = str(value).strip().lower()
    if text not in _TRUE | _FALSE:
        raise _Unreadable(text)
    return text in _TRUE


def _share(value: Any) -> float | None:
    """A number in [0, 1], written as one or as text."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if not isinstance(value, bool) and 0.0 <= number <= 1.0 else None


def answer_text(value: Any) -> str | None:
    """The answer as text: of a number its plainest form; None for what is no answer."""
    if isinstance(value, Decimal):
        return _number(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text.startswith("\\boxed{") and text.endswith("}"):
        text = str(last_boxed(text) or "")
    text = text.strip("$ \n\t")
    return None if text.lower() in _NOTHING or not _sound(text) else text


def _number(value: Decimal) -> str | None:
    if not value.is_finite() or not -MOST_DIGITS < value.adjusted() < MOST_DIGITS:
        return None
    whole = value.to_integral_value()
    return str(int(whole)) if value == whole else format(value.normalize(), "f")


def _sound(text: str) -> bool:
    """Whether every store can hold it, and it is no essay."""
    return len(text) <= LONGEST_ANSWER and storable(text)
