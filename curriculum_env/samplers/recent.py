"""Ring buffers, one per bucket, and the statistics of a stretch of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from curriculum_env.types import FloatArray


class Stretch(NamedTuple):
    """Count, mean and variance of a stretch of rewards, per bucket; all 0 where it is empty."""

    count_A: FloatArray
    mean_A: FloatArray
    variance_A: FloatArray


def push(ring_AW: FloatArray, seen_A: FloatArray, arm: int, values: Sequence[float]) -> None:
    """Append to one ring; `seen_A` counts what was ever appended. O(1) per value."""
    width = ring_AW.shape[1]
    for value in values:
        ring_AW[arm, int(seen_A[arm]) % width] = value
        seen_A[arm] += 1.0


def last(
    ring_AW: FloatArray, seen_A: FloatArray, length: int, ago: int = 0
) -> tuple[FloatArray, FloatArray]:
    """The `length` values that were newest `ago` values earlier, oldest first, and 1.0 where there
    is a value and 0.0 where there was none yet; `length + ago` is at most the ring's width."""
    place_AL = seen_A[:, None] - (ago + length) + np.arange(length)
    there_AL = (place_AL >= 0.0).astype(np.float64)
    columns_AL = place_AL.astype(np.int64) % ring_AW.shape[1]
    return np.take_along_axis(ring_AW, columns_AL, axis=1) * there_AL, there_AL


def stretch(ring_AW: FloatArray, seen_A: FloatArray, length: int, ago: int = 0) -> Stretch:
    """S1 = sum r, S2 = sum r^2, mean S1/n and variance S2/n - mean^2, with the count n of the
    values there are: while a ring fills, that is fewer than `length`."""
    values_AL, there_AL = last(ring_AW, seen_A, length, ago)
    count_A = there_AL.sum(axis=1)
    n_A = np.maximum(count_A, 1.0)
    mean_A = values_AL.sum(axis=1) / n_A
    variance_A = np.maximum((values_AL**2).sum(axis=1) / n_A - mean_A**2, 0.0)
    return Stretch(count_A, mean_A, variance_A)
