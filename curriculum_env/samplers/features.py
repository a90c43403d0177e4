"""How alike two rows are by what is known of them without reading the task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from curriculum_env.types import IntArray, Row


class Features:
    """The domain, the level and the plain features of each row.

    A column of numbers (levels such as `3` included) counts in standard deviations; any other
    counts 1 where the values differ. A missing value differs from all, itself included.
    """

    def __init__(self) -> None:
        self._size = 0
        self._values: dict[str, list[Any]] = {}
        self._columns: list[_Column] | None = None

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows."""
        described = [_describe(row) for row in rows]
        for name in sorted({name for values in described for name in values}):
            column = self._values.setdefault(name, [None] * self._size)
            column.extend(values.get(name) for values in described)
        self._size += len(rows)
        for column in self._values.values():
            column.extend([None] * (self._size - len(column)))
        self._columns = None

    def distance(self, rows_K: IntArray, rows_R: IntArray) -> NDArray[np.float32]:
        """The summed differences between any two rows, shape (K, R)."""
        if self._columns is None:
            varied = (values for values in self._values.values() if len(set(values)) > 1)
            self._columns = [_Column.of(values) for values in varied]
        total = np.zeros((len(rows_K), len(rows_R)), np.float32)
        for column in self._columns:
            column.add_distance(rows_K, rows_R, total)
        return total


class _Column(NamedTuple):
    """Numbers in standard deviations, or codes of values; NaN where there is none."""

    values_N: NDArray[np.float32]
    numeric: bool
    complete: bool

    @classmethod
    def of(cls, values: list[Any]) -> Self:
        """Numbers where all are numbers, else codes in the order of appearance."""
        numeric = all(value is None or _is_number(value) for value in values)
        if not numeric:
            codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
            values = [None if value is None else codes[value] for value in values]
        values_N = np.array(values, dtype=np.float32)
        missing_N = np.isnan(values_N)
        if numeric and not missing_N.all():
            values_N = values_N / (float(values_N[~missing_N].std()) or 1.0)
        return cls(values_N, numeric, not missing_N.any())

    def add_distance(self, rows_K: IntArray, rows_R: IntArray, total: NDArray[np.float32]) -> None:
        gap = self.values_N[rows_K, None] - self.values_N[None, rows_R]
        np.abs(gap, out=gap)
        if not self.numeric:
            np.minimum(gap, 1.0, out=gap)
        if not self.complete:
            np.nan_to_num(gap, copy=False, nan=1.0)
        total += gap


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _describe(row: Row) -> dict[str, Any]:
    """The values a row is compared by; lists and mappings are left out."""
    level = float(row.level) if row.level.isdecimal() else row.level
    plain = {
        f"features.{name}": value
        for name, value in row.features.items()
        if isinstance(value, str) or _is_number(value)
    }
    return {"domain": row.domain, "level": level, **plain}
