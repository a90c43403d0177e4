"""What an estimate found: how the pass rates lie, and what finding out took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curriculum_env.estimators.survival import beta_survival
from curriculum_env.pool.estimate.interval import pass_rate_interval
from curriculum_env.types import BoolArray, FloatArray, IntArray, Row

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Each bucket holds its lower edge; the last one its upper edge, 1, too."""
BINS = 20


@dataclass(frozen=True, slots=True)
class Found:
    """The pass rates of a pool, row by row: `passes_N` of `attempts_N` graded rollouts."""

    rows: Sequence[Row]
    passes_N: FloatArray
    attempts_N: IntArray
    k: int

    @property
    def estimated_N(self) -> BoolArray:
        """The rows with at least k graded rollouts."""
        return np.asarray(self.attempts_N >= self.k)

    @property
    def rate_N(self) -> FloatArray:
        """The share of rollouts that passed; not a number where there is none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.passes_N / self.attempts_N, dtype=np.float64)

    def bucket_N(self) -> IntArray:
        """The bucket (0 to 4) of each row's rate, -1 of rows not estimated."""
        bucket_N = np.clip(np.digitize(self.rate_N, EDGES) - 1, 0, len(EDGES) - 2)
        return np.asarray(np.where(self.estimated_N, bucket_N, -1))

    @property
    def unsolved_N(self) -> BoolArray:
        return np.asarray(self.estimated_N & (self.passes_N <= 0))

    @property
    def solved_N(self) -> BoolArray:
        return np.asarray(self.estimated_N & (self.passes_N >= self.attempts_N))


@dataclass(frozen=True, slots=True)
class GroupSummary:
    """The rows of one domain and level. `mean` is the mean rate of the estimated ones, None where
    there is none; `buckets` counts them by bucket."""

    domain: str
    level: str
    rows: int
    estimated: int
    unsolved: int
    solved: int
    mean: float | None
    buckets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spent:
    """What the estimate took: rollouts by what became of them, tokens, money."""

    graded: int
    failed: int
    lost: int
    ungraded: int
    cut_off: int
    refused: int
    prompt_tokens: int
    completion_tokens: int
    money: float
    errors: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class EstimateReport:
    """An estimate summed up.

    `owed` counts the graded rollouts missing to k of each row; `ended` says why it stopped before
    all were there, empty where it did not. `width` is the mean width of the 95% intervals of the
    estimated rows. `survival` is the share of groups of `group_size` rollouts expected to differ
    under uniform drawing: over the estimated rows, and over those of them that were kept.
    `histogram` counts rows by rate, in bins of 1/20 like the buckets.
    """

    model: str
    k: int
    max_k: int
    rows: int
    estimated: int
    partly: int
    owed: int
    ended: str
    mean: float | None
    width: float | None
    group_size: int
    survival: float | None
    survival_kept: float | None
    unsolved: int
    solved: int
    pruned: int
    buckets: tuple[int, ...]
    histogram: tuple[int, ...]
    groups: tuple[GroupSummary, ...]
    spent: Spent


def summarise(
    found: Found,
    spent: Spent,
    pruned_N: BoolArray,
    *,
    model: str,
    max_k: int,
    owed: int,
    ended: str,
    group_size: int = 8,
) -> EstimateReport:
    """Sum up an estimate; `pruned_N` marks the rows that go to quarantine."""
    ready_N = found.estimated_N
    return EstimateReport(
        model=model,
        k=found.k,
        max_k=max_k,
        rows=len(found.rows),
        estimated=int(ready_N.sum()),
        partly=int(((found.attempts_N > 0) & ~ready_N).sum()),
        owed=owed,
        ended=ended,
        mean=_mean(found.rate_N[ready_N]),
        width=_width(found, ready_N),
        group_size=group_size,
        survival=_survival(found, ready_N, group_size),
        survival_kept=_survival(found, ready_N & ~pruned_N, group_size),
        unsolved=int(found.unsolved_N.sum()),
        solved=int(found.solved_N.sum()),
        pruned=int(pruned_N.sum()),
        buckets=_tally(found.bucket_N()),
        histogram=histogram(found.rate_N[ready_N]),
        groups=tuple(_groups(found)),
        spent=spent,
    )


def histogram(rates: FloatArray) -> tuple[int, ...]:
    """How many rates lie in each of `BINS` equal bins; 1 is in the last one. A rate of k rollouts
    on an edge is not moved below it by rounding."""
    bins = np.clip(np.floor(rates * BINS + 1e-9).astype(np.int64), 0, BINS - 1)
    return tuple(np.bincount(bins, minlength=BINS).tolist())


def _groups(found: Found) -> list[GroupSummary]:
    members: Mapping[tuple[str, str], list[int]] = {}
    for position, row in enumerate(found.rows):
        members.setdefault(row.bucket, []).append(position)  # type: ignore[attr-defined]
    return [_group(found, *bucket, np.array(members[bucket])) for bucket in sorted(members)]


def _group(found: Found, domain: str, level: str, rows: IntArray) -> GroupSummary:
    ready = rows[found.estimated_N[rows]]
    return GroupSummary(
        domain=domain,
        level=level,
        rows=len(rows),
        estimated=len(ready),
        unsolved=int(found.unsolved_N[rows].sum()),
        solved=int(found.solved_N[rows].sum()),
        mean=_mean(found.rate_N[ready]),
        buckets=_tally(found.bucket_N()[ready]),
    )


def _tally(bucket_N: IntArray) -> tuple[int, ...]:
    return tuple(np.bincount(bucket_N[bucket_N >= 0], minlength=len(EDGES) - 1).tolist())


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None


def _width(found: Found, rows_N: BoolArray) -> float | None:
    attempts = found.attempts_N[rows_N].astype(np.float64)
    low, high = pass_rate_interval(found.passes_N[rows_N], attempts)
    return _mean(high - low)


def _survival(found: Found, rows_N: BoolArray, group_size: int) -> float | None:
    """The mean expected survival under the beliefs that a curriculum would start from."""
    passes = found.passes_N[rows_N]
    fails = found.attempts_N[rows_N] - passes
    return _mean(beta_survival(1.0 + passes, 1.0 + fails, group_size))
