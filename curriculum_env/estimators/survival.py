"""The probability that a group of rollouts is not all alike, S_G: what lets it carry a gradient."""

from __future__ import annotations

import numpy as np

from curriculum_env.types import FloatArray

BLOCK = 16_384
_FACTORS = 16  # multiplied before a division; (count + G)^16 is far from overflow


def survival(p: FloatArray | float, group_size: int) -> FloatArray:
    """S_G(p) = 1 - p^G - (1-p)^G for a known pass rate `p` in [0, 1]; 0 for G = 1."""
    p = np.asarray(p, dtype=np.float64)
    return np.asarray(1.0 - p**group_size - (1.0 - p) ** group_size)


def gain(p: FloatArray | float, group_size: int) -> FloatArray:
    """p (1-p) S_G(p) for a known pass rate `p` in [0, 1]: how much a step on the group may move
    the pass rate. A step moves the logit, by which the pass rate changes p (1-p) times as much; and
    there is a step where the group is not all alike."""
    p = np.asarray(p, dtype=np.float64)
    return np.asarray(p * (1.0 - p) * survival(p, group_size))


def beta_survival(passes: FloatArray, fails: FloatArray, group_size: int) -> FloatArray:
    """E[S_G] under Beta(a, b): 1 - B(a+G, b)/B(a, b) - B(a, b+G)/B(a, b).

    For an integer G each ratio of Beta functions is a product of G ratios, exact and quicker
    than log-gamma. `passes` and `fails` are positive and of one shape.
    """
    out = np.empty_like(passes)
    for start in range(0, len(passes), BLOCK):
        block = slice(start, start + BLOCK)
        a, b = passes[block], fails[block]
        all_pass, all_fail, total = np.ones_like(a), np.ones_like(b), a + b
        for first in range(0, group_size, _FACTORS):
            scale = np.ones_like(a)
            for i in range(first, min(first + _FACTORS, group_size)):
                all_pass *= a + i
                all_fail *= b + i
                scale *= total + i
            all_pass /= scale
            all_fail /= scale
        out[block] = 1.0 - all_pass - all_fail
    return out
