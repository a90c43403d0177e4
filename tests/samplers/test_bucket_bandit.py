from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from curriculum_env.samplers.bucket_bandit import BucketBandit, BucketBanditConfig, tension
from curriculum_env.samplers.buckets import Buckets
from curriculum_env.samplers.composite import build_bandit
from curriculum_env.testing.samplers import make_rows, make_view
from curriculum_env.types import FloatArray, Group


def bandit(arms: int, **settings: object) -> BucketBandit:
    made = BucketBandit(BucketBanditConfig.model_validate(settings))
    made.table.grow(arms)
    return made


def buckets(arms: int) -> Buckets:
    made = Buckets("level")
    made.add(make_rows(5)[:arms])
    return made


@pytest.mark.parametrize(
    ("epsilon", "peak", "height"),
    [(1e-6, 0.000999, 0.998), (0.01, 0.0905, 0.8190), (0.1, 0.2317, 0.5367)],
)
def test_the_literal_tension_peaks_near_nought(epsilon: float, peak: float, height: float) -> None:
    p = np.concatenate([np.linspace(0, 0.01, 200_001), np.linspace(0.01, 1, 200_001)])
    curve = tension(p, p * (1 - p), "literal", epsilon)
    best = float(p[np.argmax(curve)])
    assert best == pytest.approx(-epsilon + np.sqrt(epsilon**2 + epsilon), abs=1e-5)
    assert best == pytest.approx(peak, rel=2e-3)
    assert curve.max() == pytest.approx(height, abs=1e-3)


def test_the_default_tension_peaks_at_a_half() -> None:
    p = np.linspace(0, 1, 1001)
    curve = tension(p, p * (1 - p), "signal")
    assert p[np.argmax(curve)] == 0.5
    assert curve.max() == 1.0
    assert curve[250] == pytest.approx(4 * 0.25 * 0.75)


def progress_of_nothing(lag: int | None, *, subtract: bool) -> FloatArray:
    """Progress of 4,000 buckets whose pass rate stays at one half."""
    still = bandit(4000, lag=lag, subtract_noise=subtract)
    rewards = np.random.default_rng(1).random((4000, 300)) < 0.5
    still.table["rewards"][:] = rewards[:, : still.table["rewards"].shape[1]]
    still.table["seen"][:] = still.table["rewards"].shape[1]
    return still.progress()


def test_chance_alone_looks_like_progress() -> None:
    """E|difference| = sqrt(2/pi * 2 * .25 / 100) = .0564 for two windows of 100 at one half."""
    noise = progress_of_nothing(None, subtract=False).mean()
    assert noise == pytest.approx(0.0564, abs=0.002)


def test_the_overlap_shrinks_progress() -> None:
    """Ten of the hundred rewards differ, on either side: sqrt(2/pi * 20 * .25) / 100 = .0178."""
    noise = progress_of_nothing(10, subtract=False).mean()
    assert noise == pytest.approx(np.sqrt(2 / np.pi * 20 * 0.25) / 100, abs=0.0007)


@pytest.mark.parametrize("lag", [None, 10])
def test_what_chance_shows_is_subtracted(lag: int | None) -> None:
    raw = progress_of_nothing(lag, subtract=False)
    beyond = progress_of_nothing(lag, subtract=True)
    floor = raw.mean()
    assert beyond.mean() == pytest.approx(np.maximum(raw - floor, 0.0).mean(), rel=0.05)
    assert beyond.mean() < 0.5 * floor


@pytest.mark.parametrize(("lag", "progress"), [(None, 0.75), (10, 0.1)])
def test_progress_between_windows(lag: int | None, progress: float) -> None:
    rising = bandit(2, lag=lag)
    rising.observe(0, [0.0] * 75 + [1.0] * 25 + [1.0] * 100)
    assert rising.progress().tolist() == pytest.approx([0.75, 0.0] if lag is None else [0.0, 0.0])
    rising = bandit(1, lag=lag)
    rising.observe(0, [0.0] * 100 + ([0.0] * 25 + [1.0] * 75 if lag is None else [1.0] * 10))
    assert rising.progress()[0] == pytest.approx(progress)


def test_no_progress_before_there_is_anything_to_compare() -> None:
    filling = bandit(1)
    filling.observe(0, [1.0] * 100)
    assert filling.progress()[0] == 0.0
    filling.observe(0, [0.0] * 50)
    assert filling.progress()[0] == pytest.approx(0.5)


def test_the_chances() -> None:
    made = bandit(3, beta1=2.0, beta2=0.5, floor=0.3)
    made.observe(0, [1.0, 0.0] * 50)
    made.observe(1, [0.0] * 100 + [1.0] * 75 + [0.0] * 25)
    chance_A = made.chances(make_view(3), buckets(3))
    weight = np.exp([0.5 * 1.0, 2.0 * 0.75 + 0.5 * 4 * 0.75 * 0.25, 0.5 * 1.0])
    assert chance_A == pytest.approx(0.7 * weight / weight.sum() + 0.1)


def test_they_are_computed_anew_every_twenty_updates() -> None:
    made, view, of = bandit(2), make_view(2), buckets(2)
    before = made.chances(view, of).copy()
    made.observe(0, [1.0] * 100)
    view.estimator.now = 19.9  # type: ignore[misc]
    assert np.array_equal(made.chances(view, of), before)
    view.estimator.now = 20.0  # type: ignore[misc]
    after = made.chances(view, of).copy()
    assert after[0] < before[0]
    made.table.grow(3)
    assert len(made.chances(view, buckets(3))) == 3


def test_no_bucket_starves() -> None:
    """With a beta this high nearly everything goes to one bucket, but for the floor's share."""
    sampler = build_bandit(BucketBanditConfig(beta2=200.0, floor=0.1))
    sampler.add(make_rows(1000))
    for row in range(5):
        sampler.observe(Group(row, row, (1.0, 0.0) if row == 2 else (1.0, 1.0)))
    drawn = np.zeros(5)
    for draw in range(50):
        rows_K = sampler.select(64, make_view(1000, draw=draw)).rows_K
        drawn += np.bincount(rows_K % 5, minlength=5)
    share = drawn / drawn.sum()
    assert share[[0, 1, 3, 4]] == pytest.approx(0.02, abs=0.006)
    assert share[2] == pytest.approx(0.92, abs=0.02)
    assert sampler.metrics()["chance/d/2"] == pytest.approx(0.92, abs=1e-3)


def test_a_lag_beyond_the_window() -> None:
    with pytest.raises(ValidationError, match="leave it unset"):
        BucketBanditConfig(window=50, lag=51)
