"""Rows in buckets by domain and level: the arms of a bandit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from curriculum_env.types import BoolArray, IntArray, Row

By: TypeAlias = Literal["bucket", "domain", "level"]
Key: TypeAlias = tuple[str, str]


class Buckets:
    """The bucket of each row, and the rows of each bucket (`_A`: one entry per bucket).

    `by` says what makes a bucket: domain and level together, or one of them; `keys` holds both,
    "" for the one that is not looked at. A bucket keeps its number as the pool grows.
    """

    def __init__(self, by: By = "bucket") -> None:
        self._by = by
        self._arm: dict[Key, int] = {}
        self._sorted: tuple[IntArray, IntArray] | None = None
        self.keys: list[Key] = []
        self.arm_N: IntArray = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self.keys)

    def key(self, row: Row) -> Key:
        """What the bucket of `row` is called."""
        domain = "" if self._by == "level" else row.domain
        return domain, "" if self._by == "domain" else row.level

    def find(self, key: Key) -> int | None:
        """The number of the bucket called `key`, or None."""
        return self._arm.get(key)

    def add(self, rows: Sequence[Row]) -> None:
        """Rows joined the end of the pool."""
        added_N = np.fromiter((self._number(self.key(row)) for row in rows), np.int64, len(rows))
        self.arm_N = np.concatenate([self.arm_N, added_N])
        self._sorted = None

    def members(self, arm: int) -> IntArray:
        """The rows of a bucket, in the order of the pool."""
        if self._sorted is None:
            size_A = np.bincount(self.arm_N, minlength=len(self))
            self._sorted = np.argsort(self.arm_N, kind="stable"), np.cumsum(size_A)
        order_N, end_A = self._sorted
        return order_N[end_A[arm - 1] if arm else 0 : end_A[arm]]

    def part(self, rows_M: IntArray) -> Buckets:
        """The buckets of the rows `rows_M` alone, both numbered anew from 0."""
        part = Buckets(self._by)
        arms, part.arm_N = np.unique(self.arm_N[rows_M], return_inverse=True)
        part.keys = [self.keys[arm] for arm in arms.tolist()]
        part._arm = {key: arm for arm, key in enumerate(part.keys)}
        return part

    def count(self, chosen_N: BoolArray) -> IntArray:
        """How many of the chosen rows each bucket has."""
        return np.bincount(self.arm_N[chosen_N], minlength=len(self))

    def _number(self, key: Key) -> int:
        number = self._arm.setdefault(key, len(self.keys))
        if number == len(self.keys):
            self.keys.append(key)
        return number
