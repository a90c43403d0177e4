"""Outcomes as a database can hold them: each column of its own type."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from curriculum_env.types import STATUSES, Outcome

_LARGEST = 2**63 - 1


def finite(value: object) -> float | None:
    """`value` as a float, or None where it is no finite real number."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def storable(outcome: Outcome) -> tuple[Outcome, dict[str, object]]:
    """`outcome` with every column beside its reward converted, and what had to be cleared for it.

    A column that no database can hold is cleared (0 or the empty text), so that a reward is never
    lost for its sake; an unknown status is an error. What names the rollout (`draw`, `uid`,
    `rollout_id`) is converted where that keeps its value, and never cleared.
    """
    changed: dict[str, Any] = {}
    cleared: dict[str, object] = {}
    for name, convert in _CONVERT.items():
        found = getattr(outcome, name)
        kept = convert(found)
        if kept is not found:
            changed[name] = kept
            if not _same(kept, found):
                cleared[name] = found
    return (replace(outcome, **changed) if changed else outcome), cleared


def _same(kept: object, found: object) -> bool:
    return isinstance(found, Real | str) and kept == found


def _number(value: object) -> object:
    return int(value) if isinstance(value, Integral) else value


def _name(value: object) -> object:
    return str(value) if isinstance(value, str) else value


def _status(value: object) -> object:
    return value if isinstance(value, str) and value in STATUSES else "error"


def _count(value: object) -> int:
    number = int(value) if isinstance(value, Integral) else int(finite(value) or 0)
    return number if 0 <= number <= _LARGEST else 0


def _seconds(value: object) -> float:
    return finite(value) or 0.0


def _text(value: object) -> str:
    if not isinstance(value, str):
        return ""
    clean = value.encode(errors="replace").decode().replace("\0", "")
    return str(value) if clean == value else clean


_CONVERT: Mapping[str, Callable[[object], object]] = {
    "draw": _number,
    "uid": _name,
    "rollout_id": _name,
    "status": _status,
    "tokens": _count,
    "turns": _count,
    "model": _text,
    "wall_time": _seconds,
    "time": _seconds,
}
