from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.estimators import beta_survival, survival


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
