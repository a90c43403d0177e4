"""Chances of buckets, and draws by them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from curriculum_env.types import FloatArray, IntArray

LEAST_CHANCE = 1e-9


def spread(
    chance_A: FloatArray, open_A: IntArray, n: int, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Buckets for `n` draws (fewer if there are fewer rows), and the share of each bucket.

    Systematic sampling: a bucket gets n x its share, rounded up or down at random so that the
    expectation is exact. What a bucket has no rows left for goes to the others in proportion; no
    open bucket's chance is below 1e-9 of the whole.
    """
    share_A = np.where(open_A > 0, chance_A + LEAST_CHANCE * chance_A.sum(), 0.0)
    share_A /= share_A.sum()
    count_A = np.zeros(len(open_A), np.int64)
    left = min(n, int(open_A.sum()))
    while left:
        edge_A = np.cumsum(np.where(count_A < open_A, share_A, 0.0))
        points_K = (rng.random() + np.arange(left)) / left * edge_A[-1]
        more_A = np.bincount(np.searchsorted(edge_A, points_K, "right"), minlength=len(open_A))
        count_A = np.minimum(count_A + more_A[: len(open_A)], open_A)
        left = min(n, int(open_A.sum())) - int(count_A.sum())
    return rng.permutation(np.repeat(np.arange(len(open_A)), count_A)), share_A


def by_bucket(arms_K: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Each of the buckets drawn from, and the places of its draws."""
    order_K = np.argsort(arms_K, kind="stable")
    arms, starts = np.unique(arms_K[order_K], return_index=True)
    places = np.split(order_K, starts[1:]) if len(starts) else []
    return zip(arms.tolist(), places, strict=True)


def softmax(logit_A: FloatArray) -> FloatArray:
    """exp(logit) / sum exp(logit)."""
    weight_A = np.exp(logit_A - logit_A.max())
    return np.asarray(weight_A / weight_A.sum())


def floored(chance_A: FloatArray, floor: float) -> FloatArray:
    """(1-floor) * chance + floor / A: a share of the draws is spread evenly over the buckets."""
    return np.asarray((1.0 - floor) * chance_A + floor / len(chance_A))
