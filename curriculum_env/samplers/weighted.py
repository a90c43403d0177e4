"""Choosing rows the way papers do: by weight or by score alone, without novelty or `pick`."""

from __future__ import annotations

import numpy as np

from curriculum_env.samplers.base import Choice
from curriculum_env.samplers.view import View, smallest
from curriculum_env.types import FloatArray, IntArray

_TIE_BREAK = 1e-9


def in_proportion(weight_N: FloatArray, n: int, view: View) -> Choice:
    """At most `n` available rows by successive draws without replacement, with chances in
    proportion to their weights (Efraimidis and Spirakis 2006); a weight of 0 is never drawn."""
    weight_N = np.where(view.available_N, weight_N, 0.0)
    clock_N = view.rng.standard_exponential(len(weight_N), dtype=np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        key_N = np.where(weight_N > 0.0, clock_N / weight_N, np.inf)
    rows_K = smallest(key_N, n)
    rows_K = rows_K[weight_N[rows_K] > 0.0]
    return Choice(rows_K, np.maximum(weight_N[rows_K] / weight_N.sum(), np.finfo(np.float64).tiny))


def nearest(distance_N: FloatArray, n: int, view: View) -> Choice:
    """The at most `n` available rows of the least distance, the nearest first, ties at random."""
    tie_break_N = _TIE_BREAK * view.rng.random(view.size, dtype=np.float32)
    key_N = np.where(view.available_N, distance_N + tie_break_N, np.inf)
    rows_K = smallest(key_N, n)
    rows_K = rows_K[view.available_N[rows_K]]
    return Choice(rows_K, np.ones(len(rows_K)))


def evenly(rows_C: IntArray, n: int, view: View) -> Choice:
    """At most `n` of the rows, all alike."""
    rows_K = view.rng.choice(rows_C, min(n, len(rows_C)), replace=False)
    return Choice(rows_K, np.full(len(rows_K), 1.0 / max(len(rows_C), 1)))


def scaled(choice: Choice, share: float) -> Choice:
    """The choice of a part of a rule that is asked with probability `share`."""
    return Choice(choice.rows_K, choice.propensity_K * share)


def joined(*choices: Choice) -> Choice:
    """The choices one after another; a row that came before is left out."""
    rows_K = np.concatenate([choice.rows_K for choice in choices])
    propensity_K = np.concatenate([choice.propensity_K for choice in choices])
    _, first = np.unique(rows_K, return_index=True)
    first.sort()
    return Choice(rows_K[first].astype(np.int64), propensity_K[first])


def shuffled(choice: Choice, view: View) -> Choice:
    """The same rows in random turn."""
    order = view.rng.permutation(len(choice.rows_K))
    return Choice(choice.rows_K[order], choice.propensity_K[order])
