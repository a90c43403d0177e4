from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.replay import ClipShare, clipped_surrogate


def test_a_token_six_times_as_likely_is_clipped_and_has_no_gradient() -> None:
    found = clipped_surrogate(np.log([0.6]), np.log([0.1]), advantage=2.0)
    assert found.ratio_T == pytest.approx([6.0])
    assert found.objective_T == pytest.approx([1.2 * 2.0])
    assert found.gradient_T.tolist() == [0.0]
    assert found.clipped_T.tolist() == [True]


@pytest.mark.parametrize(
    ("ratio", "advantage", "clipped"),
    [
        (1.1, 1.0, False),
        (1.3, 1.0, True),
        (0.5, 1.0, False),  # a good token that became unlikely is still pushed up
        (0.5, -1.0, True),
        (6.0, -1.0, False),  # and a bad one that became likely is pushed down
        (6.0, 0.0, False),
    ],
)
def test_clipping_acts_on_one_side_only(ratio: float, advantage: float, clipped: bool) -> None:
    found = clipped_surrogate(np.log([ratio]), np.zeros(1), advantage)
    assert found.clipped_T.tolist() == [clipped]
    assert found.gradient_T == pytest.approx([0.0 if clipped else ratio * advantage])


@given(st.floats(-3, 0), st.floats(-3, 0), st.floats(-2, 2), st.floats(0.05, 0.5))
def test_the_gradient_is_that_of_the_objective(
    new: float, old: float, advantage: float, clip: float
) -> None:
    ratio = math.exp(new - old)
    if min(abs(ratio - (1 - clip)), abs(ratio - (1 + clip))) < 1e-3:
        return
    step, at = 1e-6, np.array([new])
    above = clipped_surrogate(at + step, np.array([old]), advantage, clip).objective_T
    below = clipped_surrogate(at - step, np.array([old]), advantage, clip).objective_T
    gradient = clipped_surrogate(at, np.array([old]), advantage, clip).gradient_T
    assert (above - below) / (2 * step) == pytest.approx(gradient, rel=1e-3, abs=1e-6)


def test_a_ratio_beyond_every_float_stays_finite() -> None:
    found = clipped_surrogate(np.zeros(1), np.array([-5000.0]), -1.0)
    assert np.isfinite(found.gradient_T).all()


def test_the_share_is_over_tokens_of_the_last_updates() -> None:
    share = ClipShare(window=2)
    assert share.share == 0.0
    share.observe(10, 10)
    share.observe(0, 0)
    share.observe(1, 10)
    assert share.share == 11 / 20
    share.observe(0, 30)
    assert share.share == 1 / 40
    other = ClipShare(window=2)
    other.load_state_dict(share.state_dict())
    other.observe(3, 10)
    assert other.share == 3 / 40
