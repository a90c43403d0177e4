"""A row as JSON values, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from curriculum_env.types import Row


def plain(row: Row) -> list[Any]:
    """The values of `row`, in the order of its fields."""
    return [
        row.uid,
        dict(row.data),
        row.domain,
        row.level,
        dict(row.features),
        row.prior_passes,
        row.prior_attempts,
        row.parent,
        row.factor,
    ]


def row_of(values: Sequence[Any]) -> Row:
    """The row whose values `plain` gave."""
    return Row(*values)


def storable_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """`value` as every database holds it: what is no JSON becomes text, numbers that are not finite
    become None, NUL and halves of characters are left out."""
    text = json.dumps(_clean(value), default=lambda other: _clean(str(other)))
    return dict(json.loads(text, parse_constant=lambda name: None))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="ignore").decode().replace("\0", "")
    if isinstance(value, Mapping):
        return {_clean(str(key)): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
