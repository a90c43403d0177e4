"""Credible intervals of a Beta belief."""

from __future__ import annotations

from typing import cast

from curriculum_env.types import FloatArray


def beta_interval(
    passes: FloatArray, fails: FloatArray, mass: float
) -> tuple[FloatArray, FloatArray]:
    """The central interval of Beta(passes, fails) that holds `mass`, from its quantiles."""
    from scipy.special import betaincinv

    tail = (1.0 - mass) / 2.0
    low, high = betaincinv(passes, fails, tail), betaincinv(passes, fails, 1.0 - tail)
    return cast(FloatArray, low), cast(FloatArray, high)
