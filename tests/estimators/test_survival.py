from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.estimators import Beta, Irt, beta_survival, gain, survival
from curriculum_env.types import Row


def test_a_group_of_eight() -> None:
    assert survival(0.5, 8) == pytest.approx(0.9921875)
    assert survival(0.9, 8) == pytest.approx(0.5695327800, abs=1e-10)


def test_a_pool_half_at_a_half_and_half_at_nine_tenths() -> None:
    rho = float(survival(np.array([0.5, 0.9]), 8).mean())
    assert rho == pytest.approx(0.7808601400, abs=1e-10)
    assert 256 / rho == pytest.approx(327.84, abs=0.01)
    assert 1 - rho == pytest.approx(0.21914, abs=1e-5)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_sure_task_never_survives(p: float) -> None:
    assert survival(p, 8) == 0.0


@given(st.floats(0.01, 500), st.floats(0.01, 500), st.integers(1, 128))
def test_the_closed_form_under_a_beta_belief(a: float, b: float, size: int) -> None:
    def log_beta(x: float, y: float) -> float:
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    alike = math.exp(log_beta(a + size, b) - log_beta(a, b))
    alike += math.exp(log_beta(a, b + size) - log_beta(a, b))
    found = beta_survival(np.array([a]), np.array([b]), size)[0]
    assert found == pytest.approx(1.0 - alike, abs=1e-8)


def test_the_gain_of_a_group_of_eight() -> None:
    assert gain(0.5, 8) == pytest.approx(0.248046875)
    assert gain(0.9, 8) / gain(0.5, 8) == pytest.approx(0.206646, abs=1e-6)
    assert gain(0.0, 8) == gain(1.0, 8) == 0.0


@given(st.floats(0.05, 100), st.floats(0.05, 100), st.integers(2, 64))
def test_the_gain_under_a_beta_belief(a: float, b: float, size: int) -> None:
    def log_beta(x: float, y: float) -> float:
        return math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y)

    estimator = Beta()
    estimator.add([Row("one", {})])
    estimator.passes_N, estimator.fails_N = np.array([a]), np.array([b])
    whole = log_beta(a, b)
    expected = math.exp(log_beta(a + 1, b + 1) - whole)
    expected -= math.exp(log_beta(a + size + 1, b + 1) - whole)
    expected -= math.exp(log_beta(a + 1, b + size + 1) - whole)
    assert estimator.gain(size)[0] == pytest.approx(expected, abs=1e-8)


def test_the_gain_by_table_is_that_from_survivals() -> None:
    rng = np.random.default_rng(0)
    irt = Irt()
    irt.add([Row(str(i), {}, "d", str(i % 5), {"size": float(i % 3)}) for i in range(200)])
    for row in rng.integers(200, size=300).tolist():
        irt.update(row, (rng.random(8) < (row % 5) / 4).astype(float).tolist())
    plain = super(Irt, irt).gain(8)
    assert irt.gain(8) == pytest.approx(plain, abs=2e-4)
    assert np.ptp(plain) > 0.1


def test_a_sure_belief_approaches_the_known_rate() -> None:
    found = beta_survival(np.array([9e6]), np.array([1e6]), 8)[0]
    assert found == pytest.approx(float(survival(0.9, 8)), abs=1e-5)


def test_blocks_make_no_difference() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0.5, 9, 40_000), rng.uniform(0.5, 9, 40_000)
    whole = beta_survival(a, b, 8)
    assert np.array_equal(
        whole[20_000:20_010], beta_survival(a[20_000:20_010], b[20_000:20_010], 8)
    )


def test_signal_is_a_third_more_at_a_half_than_at_three_quarters() -> None:
    """p (1-p), which is half of S_2: what a group is worth where GRPO only centres."""
    half, three_quarters, nine_tenths = survival(np.array([0.5, 0.75, 0.9]), 2) / 2
    assert half / three_quarters == pytest.approx(4 / 3)
    assert half / nine_tenths == pytest.approx(0.25 / 0.09)
    assert half / nine_tenths == pytest.approx(2.78, abs=0.005)
