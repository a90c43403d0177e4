"""A pass rate whose logit is Gaussian: expectations over many rows, and the update of one."""

from __future__ import annotations

import math
from functools import lru_cache
from math import exp, log1p
from typing import Literal, TypeAlias

import numpy as np

from curriculum_env.types import FloatArray

Transform: TypeAlias = Literal["rate", "survival", "gain"]

_BLOCK = 16_384
_MOST_STEPS, _CLOSE = 60, 0.01
_MEAN_LIMIT, _MEAN_STEP = 16.0, 1 / 16
_SD_LIMIT, _SD_STEP = 6.0, 1 / 8
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_QUADRATURE = [
    (float(z), float(w * np.exp(0.5 * z**2))) for z, w in zip(_NODES, _WEIGHTS, strict=True)
]


def sigmoid(x: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * x))


def mean_pass_rate(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """E[p] where logit p ~ N(mean, variance), elementwise."""
    return _expect("rate", 1, mean, variance)


def logit_normal_survival(mean: FloatArray, variance: FloatArray, group_size: int) -> FloatArray:
    """E[1 - p^G - (1-p)^G] where logit p ~ N(mean, variance), elementwise."""
    return _expect("survival", group_size, mean, variance)


def logit_normal_gain(mean: FloatArray, variance: FloatArray, group_size: int) -> FloatArray:
    """E[p (1-p) (1 - p^G - (1-p)^G)] where logit p ~ N(mean, variance), elementwise."""
    return _expect("gain", group_size, mean, variance)


def posterior(mean: float, variance: float, passes: float, size: int) -> tuple[float, float, float]:
    """What `passes` of `size` rollouts tell of a logit ~ N(mean, variance): its mean and variance
    then, and the log-probability of such rollouts in their order.

    The moments of the product of prior and likelihood are computed by Gauss-Hermite quadrature
    placed at its mode (Liu and Pierce 1994, Biometrika 81:624). `passes` may be fractional.
    """
    mode, width = _laplace(mean, variance, passes, size)
    precision = 0.5 / variance
    at_mode = passes * mode - size * _softplus(mode) - (mode - mean) ** 2 * precision
    total = first = second = 0.0
    for z, weight in _QUADRATURE:
        x = mode + width * z
        # log(1 + exp(x)), written out: this loop is most of an update
        softplus = x + log1p(exp(-x)) if x > 0.0 else log1p(exp(x))
        away = x - mean
        weight *= exp(passes * x - size * softplus - away * away * precision - at_mode)
        total += weight
        weight *= z
        first += weight
        second += weight * z
    first /= total
    left = width * width * (second / total - first * first)
    log_evidence = at_mode + math.log(total * width / math.sqrt(2.0 * math.pi * variance))
    return mode + width * first, min(left, variance), log_evidence


def _laplace(mean: float, variance: float, passes: float, size: int) -> tuple[float, float]:
    """The posterior's mode, and the standard deviation that its curvature there implies: Newton's
    steps, and half the bracket where one would leave it or is not half the step before."""
    low, high = mean - variance * (size - passes), mean + variance * passes
    x, precision, moved = mean, 1.0 / variance, high - low
    for _ in range(_MOST_STEPS):
        p = 0.5 + 0.5 * math.tanh(0.5 * x)
        curvature = precision + size * p * (1.0 - p)
        slope = (mean - x) * precision + passes - size * p
        if abs(slope) < _CLOSE * curvature:
            break
        low, high = (x, high) if slope > 0.0 else (low, x)
        step = slope / curvature
        if not (low <= x + step <= high and abs(step) <= 0.5 * moved):
            step = 0.5 * (low + high) - x
        x, moved = x + step, abs(step)
    return x, 1.0 / math.sqrt(curvature)


def _softplus(x: float) -> float:
    """log(1 + exp(x)), without overflow."""
    return max(x, 0.0) + log1p(exp(-abs(x)))


def _expect(
    transform: Transform, group_size: int, mean: FloatArray, variance: FloatArray
) -> FloatArray:
    """Bilinear interpolation in the table of `transform`, a block at a time."""
    table, columns = _table(transform, group_size)
    out = np.empty_like(mean)
    for start in range(0, len(mean), _BLOCK):
        block = slice(start, start + _BLOCK)
        i, u = _cell(mean[block], -_MEAN_LIMIT, _MEAN_LIMIT, _MEAN_STEP)
        j, v = _cell(np.sqrt(variance[block]), 0.0, _SD_LIMIT, _SD_STEP)
        corner = i * columns + j
        low = table[corner] + v * (table[corner + 1] - table[corner])
        corner += columns
        high = table[corner] + v * (table[corner + 1] - table[corner])
        out[block] = low + u * (high - low)
    return out


def _cell(
    x: FloatArray, low: float, high: float, step: float
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], FloatArray]:
    """The grid cell of each `x`, and how far in it lies."""
    position = (np.clip(x, low, high - 1e-6) - low) * (1.0 / step)
    cell = position.astype(np.int32)
    return cell, position - cell


@lru_cache(maxsize=16)
def _table(transform: Transform, group_size: int) -> tuple[FloatArray, int]:
    """E[f(p)] on a grid of means (rows) and standard deviations (columns), flat; f is the pass
    rate itself, or the survival or gain of a group. By the trapezoid rule over +-5 sd."""
    means = np.arange(-_MEAN_LIMIT, _MEAN_LIMIT + _MEAN_STEP, _MEAN_STEP)
    sds = np.arange(0.0, _SD_LIMIT + _SD_STEP, _SD_STEP)
    z = np.linspace(-5.0, 5.0, 65)
    weights = np.exp(-0.5 * z**2)
    weights /= weights.sum()
    table = np.zeros((len(means), len(sds)))
    for node, weight in zip(z, weights, strict=True):
        x = means[:, None] + node * sds
        log_p, log_q = -np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)
        factor = np.exp(log_p + log_q) if transform == "gain" else 1.0
        if transform == "rate":
            table += weight * np.exp(log_p)
        else:
            alike = np.exp(group_size * log_p) + np.exp(group_size * log_q)
            table += weight * factor * (1.0 - alike)
    return np.clip(table, 0.0, 1.0).ravel(), len(sds)
