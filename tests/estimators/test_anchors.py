from __future__ import annotations

import numpy as np
import pytest

from curriculum_env.errors import PoolError
from curriculum_env.estimators import Anchors, AnchorsConfig
from curriculum_env.testing.estimators import make_rows
from curriculum_env.types import Row


def anchored(*anchors: tuple[float, float], **settings: object) -> Anchors:
    estimator = Anchors(AnchorsConfig.model_validate(settings))
    estimator.add(
        [
            Row(f"{i:x}", {}, features={"anchor_low": low, "anchor_high": high})
            for i, (low, high) in enumerate(anchors)
        ]
    )
    return estimator


def group(passes: int, size: int = 16) -> list[float]:
    return [1.0] * passes + [0.0] * (size - passes)


class Reference:
    """The update of every row at once, as the authors' code does it."""

    def __init__(self, low_N: np.ndarray, high_N: np.ndarray) -> None:
        self.low_N, self.high_N = low_N, high_N
        self.alpha_N, self.beta_N = np.ones(len(low_N)), np.ones(len(low_N))
        self.capability: float | None = None

    def update(self, rows: list[int], rates: list[float]) -> None:
        low, high = self.low_N[rows].mean(), self.high_N[rows].mean()
        found = (np.mean(rates) - low) / (high - low)
        before = self.capability
        self.capability = found if before is None else 0.9 * before + 0.1 * found
        interpolated_N = np.clip(self.low_N + (self.high_N - self.low_N) * self.capability, 0, 1)
        interpolated_N[rows] = rates
        passes_N, fails_N = np.zeros(len(self.low_N)), np.zeros(len(self.low_N))
        passes_N[rows] = 16 * np.array(rates)
        fails_N[rows] = 16 * (1 - np.array(rates))
        self.alpha_N = 0.8 * self.alpha_N + 0.2 + 0.8 * passes_N + 0.2 * interpolated_N * 16
        self.beta_N = 0.8 * self.beta_N + 0.2 + 0.8 * fails_N + 0.2 * (1 - interpolated_N) * 16


def test_the_first_update_by_hand() -> None:
    estimator = anchored((0.2, 0.6), (0.1, 0.9))
    estimator.update(0, group(8))
    estimator.now = 1.0
    estimator.update(0, group(8))
    assert estimator.capability == pytest.approx((0.5 - 0.2) / 0.4)
    passes, fails = estimator.counts(np.array([1]))
    interpolated = 0.1 + 0.8 * 0.75
    assert passes[0] == pytest.approx(0.8 * 1 + 0.2 + 0.2 * 16 * interpolated)
    assert fails[0] == pytest.approx(0.8 * 1 + 0.2 + 0.2 * 16 * (1 - interpolated))


def test_it_is_the_authors_update_done_row_by_row() -> None:
    rng = np.random.default_rng(0)
    low_N = rng.uniform(0.0, 0.4, 12)
    high_N = low_N + rng.uniform(0.2, 0.5, 12)
    estimator, reference = (
        anchored(*zip(low_N, high_N, strict=True)),
        Reference(low_N, high_N),
    )
    for step in range(25):
        estimator.now = float(step)
        rows = rng.choice(12, 4, replace=False).tolist()
        share = rng.uniform(0.2, 0.8)
        rates = [round(16 * (low_N[row] + share * (high_N[row] - low_N[row]))) / 16 for row in rows]
        for row, rate in zip(rows, rates, strict=True):
            estimator.update(row, group(round(16 * rate)))
        reference.update(rows, rates)
    estimator.now = 25.0
    estimator.update(0, group(0))
    passes_N, fails_N = estimator.counts()
    assert passes_N[1:] == pytest.approx(reference.alpha_N[1:])
    assert fails_N[1:] == pytest.approx(reference.beta_N[1:])
    assert estimator.capability == pytest.approx(reference.capability)


def test_a_group_of_the_rows_own_counts_in_full() -> None:
    estimator = anchored((0.0, 1.0))
    estimator.update(0, group(12))
    assert estimator.get(0)[:2] == pytest.approx((0.8 + 0.2 + 12, 0.8 + 0.2 + 4))
    estimator.update(0, group(4))
    assert estimator.get(0)[:2] == pytest.approx((1 + 12 + 4, 1 + 4 + 12))


def test_a_smaller_group_is_filled_up_by_the_interpolation() -> None:
    estimator = anchored((0.0, 1.0))
    estimator.update(0, group(6, 8))
    assert estimator.get(0)[0] == pytest.approx(1 + 0.8 * 6 + 0.2 * 16 * 0.75)


def test_offline_rollouts_are_what_forgetting_returns_to() -> None:
    estimator = Anchors(AnchorsConfig(implicit=0.0))
    estimator.add(make_rows(2, 6.0, 8.0))
    for step in range(60):
        estimator.now = float(step)
        estimator.update(0, group(0))
    assert estimator.mean()[1] == pytest.approx(7 / 10)
    assert estimator.mean()[0] < 0.2


def test_interpolation_stays_within_0_and_1_and_alike_anchors_say_nothing() -> None:
    estimator = anchored((0.5, 0.6), (0.1, 0.9), (0.3, 0.3))
    for step in range(30):
        estimator.now = float(step)
        estimator.update(0, group(16))
    assert estimator.capability == pytest.approx(5.0)
    passes_N, fails_N = estimator.counts()
    assert np.all(passes_N > 0.0)
    assert fails_N[1] == pytest.approx(1.0, abs=0.01)
    before = estimator.capability
    for step in range(30, 33):
        estimator.now = float(step)
        estimator.update(2, group(0))
    assert estimator.capability == pytest.approx(before)


@pytest.mark.parametrize("value", [1.5, "half", None, True])
def test_an_anchor_must_be_a_pass_rate(value: object) -> None:
    with pytest.raises(PoolError, match="expected the pass rate of a reference model"):
        Anchors().add([Row("a", {}, features={"anchor_low": value})])
