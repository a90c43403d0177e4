"""What the variants of a task say about it: statistics refreshed from the leaves up.

A forest is an array `parent_N` of positions, -1 for a root. Statistics are mean shaped rewards in
[-1, 1], NaN where nothing is known; the factor d of a row is its difficulty relative to its parent.
Source: HeaPA, arXiv 2601.22448, and its authors' code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np

from curriculum_env.types import FloatArray, IntArray

Aggregate = Literal["child", "path"]
Adjust = Literal["published", "inverse"]

LEAST_FACTOR, MOST_FACTOR = 0.75, 1.33


class Level(NamedTuple):
    """The rows of one generation that have parents, siblings side by side: `starts_P` is where the
    children of each of `parents_P` begin in `rows_C`."""

    rows_C: IntArray
    parents_P: IntArray
    starts_P: IntArray


@dataclass(frozen=True, slots=True)
class Forest:
    """The shape of a forest: the generation of each row (0 for a root), its number of children and
    of leaves (1 for a leaf), and the levels, youngest generation first."""

    generation_N: IntArray
    fan_out_N: IntArray
    leaves_N: IntArray
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, parent_N: IntArray) -> Self:
        """The forest of these parents, in O(N log N) and one step for each generation.

        Raises:
            ValueError: a row is its own ancestor.
        """
        generation_N, _ = climbed(parent_N)
        fan_out_N = np.bincount(parent_N[parent_N >= 0], minlength=len(parent_N))
        levels = tuple(_levels(parent_N, generation_N))
        leaves_N = (fan_out_N == 0).astype(np.int64)
        for rows_C, parents_P, starts_P in levels:
            leaves_N[parents_P] = np.add.reduceat(leaves_N[rows_C], starts_P)
        return cls(generation_N, fan_out_N, leaves_N, levels)


def climbed(parent_N: IntArray) -> tuple[IntArray, IntArray]:
    """The generation of each row, 0 for a root, and its root: by pointer jumping.

    Raises:
        ValueError: a row is its own ancestor.
    """
    size = len(parent_N)
    root_N = np.where(parent_N >= 0, parent_N, np.arange(size))
    generation_N = (parent_N >= 0).astype(np.int64)
    for _ in range(size.bit_length() + 1):
        if not generation_N[root_N].any():
            return generation_N, root_N
        generation_N = generation_N + generation_N[root_N]
        root_N = root_N[root_N]
    raise ValueError("a row is its own ancestor; expected parents that came before their children")


def _levels(parent_N: IntArray, generation_N: IntArray) -> list[Level]:
    rows_C = np.flatnonzero(parent_N >= 0)
    rows_C = rows_C[np.lexsort((rows_C, parent_N[rows_C], -generation_N[rows_C]))]
    edges = np.flatnonzero(np.diff(generation_N[rows_C])) + 1
    parts = np.split(rows_C, edges) if len(rows_C) else []
    return [_level(part_C, parent_N[part_C]) for part_C in parts]


def _level(rows_C: IntArray, parent_C: IntArray) -> Level:
    starts_P = np.flatnonzero(np.diff(parent_C, prepend=-1))
    return Level(rows_C, parent_C[starts_P], starts_P)


def clamped(factor: FloatArray) -> FloatArray:
    """Factors in [.75, 1.33]; 1 for what is no number above 0."""
    usable = np.isfinite(factor) & (factor > 0.0)
    return np.clip(np.where(usable, factor, 1.0), LEAST_FACTOR, MOST_FACTOR)


def adjusted(value: FloatArray, factor: FloatArray, adjust: Adjust = "published") -> FloatArray:
    """v/d where v >= 0, else v*d; "inverse" swaps the two.

    A parent of statistic v estimates its child, d times as difficult, so. The paper
    and its code use the same form from the child to the parent as well, where its inverse would
    lead back to v.
    """
    divide = (value >= 0.0) == (adjust == "published")
    return np.asarray(np.where(divide, value / factor, value * factor))


def refreshed(
    forest: Forest,
    value_N: FloatArray,
    factor_N: FloatArray,
    aggregate: Aggregate,
    adjust: Adjust = "published",
) -> FloatArray:
    """The statistics after one pass from the leaves up; leaves keep theirs.

    A row with children becomes half its own value and half the mean of its children's adjusted
    ones, or that mean alone where nothing is known of it, clipped to [-1, 1]. The mean is plain
    ("child": ChildAgg) or weighted by the number of leaves below each child ("path": PathAgg).
    Children of whom nothing is known do not count. O(N), one step for each generation.
    """
    value_N = value_N.copy()
    factor_N = clamped(factor_N)
    weight_N = forest.leaves_N.astype(np.float64) if aggregate == "path" else np.ones(len(value_N))
    for rows_C, parents_P, starts_P in forest.levels:
        child_C = adjusted(value_N[rows_C], factor_N[rows_C], adjust)
        weight_C = np.where(np.isnan(child_C), 0.0, weight_N[rows_C])
        weight_P = np.add.reduceat(weight_C, starts_P)
        total_P = np.add.reduceat(weight_C * np.nan_to_num(child_C), starts_P)
        heard = weight_P > 0.0
        parents, mean = parents_P[heard], total_P[heard] / weight_P[heard]
        old = value_N[parents]
        blended = np.where(np.isnan(old), mean, 0.5 * old + 0.5 * mean)
        value_N[parents] = np.clip(blended, -1.0, 1.0)
    return value_N
