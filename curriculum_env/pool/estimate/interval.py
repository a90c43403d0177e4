"""How well a pass rate is known after a few rollouts."""

from __future__ import annotations

import numpy as np

from curriculum_env.estimators.interval import beta_interval
from curriculum_env.types import FloatArray

MASS = 0.95


def pass_rate_interval(
    passes_N: FloatArray, attempts_N: FloatArray, mass: float = MASS
) -> tuple[FloatArray, FloatArray]:
    """The interval, within [0, 1], that holds the pass rate with probability `mass`.

    The central interval of Beta(1 + passes, 1 + failures), the belief a curriculum starts from. At
    no pass it reaches down to 0 and at no failure up to 1 (as the Jeffreys interval of Brown, Cai
    and DasGupta, Statistical Science 16, 2001, does), else it would miss every task that a policy
    never, or always, solves. `passes_N` may be fractional: a success in [0, 1] varies no more than
    a coin of the same mean.
    """
    low_N, high_N = beta_interval(1.0 + passes_N, 1.0 + attempts_N - passes_N, mass)
    return np.where(passes_N <= 0, 0.0, low_N), np.where(passes_N >= attempts_N, 1.0, high_N)
