from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.estimators.logit_normal import (
    logit_normal_gain,
    logit_normal_survival,
    mean_pass_rate,
    posterior,
)

Z = np.linspace(-10.0, 10.0, 20_001)
W = np.exp(-0.5 * Z**2) / np.exp(-0.5 * Z**2).sum()


@given(st.floats(-10, 10), st.floats(1e-3, 30))
def test_the_table_is_the_expectation(mean: float, variance: float) -> None:
    p = 1.0 / (1.0 + np.exp(-(mean + np.sqrt(variance) * Z)))
    where = np.array([mean]), np.array([variance])
    assert mean_pass_rate(*where)[0] == pytest.approx(W @ p, abs=1e-3)
    for size in (1, 2, 8, 64):
        survives = W @ (1.0 - p**size - (1.0 - p) ** size)
        assert logit_normal_survival(*where, size)[0] == pytest.approx(survives, abs=2e-3)
        gains = W @ (p * (1.0 - p) * (1.0 - p**size - (1.0 - p) ** size))
        assert logit_normal_gain(*where, size)[0] == pytest.approx(gains, abs=1e-3)


@given(st.floats(-8, 8), st.floats(0.01, 20), st.sampled_from([1, 4, 8, 16, 64]), st.floats(0, 1))
def test_the_posterior_has_the_moments_of_prior_times_likelihood(
    mean: float, variance: float, size: int, share: float
) -> None:
    passes = share * size
    x = np.linspace(-80.0, 80.0, 160_001)
    log_prior = -((x - mean) ** 2) / (2.0 * variance) - 0.5 * np.log(2.0 * np.pi * variance)
    log_weight = log_prior + passes * x - size * np.logaddexp(0.0, x)
    weight = np.exp(log_weight - log_weight.max())
    log_evidence = np.log(weight.sum() * (x[1] - x[0])) + log_weight.max()
    weight /= weight.sum()
    first = weight @ x
    second = weight @ (x - first) ** 2
    found = posterior(mean, variance, passes, size)
    assert found[0] == pytest.approx(first, abs=0.05 * np.sqrt(second))
    assert found[1] == pytest.approx(second, rel=0.1)
    assert found[2] == pytest.approx(log_evidence, abs=0.05)


def test_certain_logits_are_read_off() -> None:
    mean_N, sure_N = np.array([-40.0, 0.0, 40.0]), np.zeros(3)
    assert mean_pass_rate(mean_N, sure_N) == pytest.approx([0.0, 0.5, 1.0], abs=1e-6)
    assert logit_normal_survival(np.zeros(1), np.zeros(1), 8)[0] == pytest.approx(0.9921875)


def test_blocks_make_no_difference() -> None:
    rng = np.random.default_rng(0)
    mean_N, variance_N = rng.normal(0, 4, 40_000), rng.uniform(0, 9, 40_000)
    some = slice(16_380, 16_390)
    whole = mean_pass_rate(mean_N, variance_N)
    assert np.array_equal(whole[some], mean_pass_rate(mean_N[some], variance_N[some]))
