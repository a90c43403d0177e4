"""One term of a logit: a Gaussian prior around 0, and what was learned as a message that fades."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, TypeVar

from curriculum_env.types import FloatArray

_FARTHEST = 16.0

F = TypeVar("F", float, FloatArray)
Change: TypeAlias = tuple[float, float]


class Gaussian(NamedTuple):
    """What is believed of one term."""

    mean: float
    variance: float

    def change(self, mean: float, variance: float) -> Change:
        """What turns this into N(mean, variance): the change of the mean over the variance, and
        the loss of variance (at least 0) over its square."""
        gain = (mean - self.mean) / self.variance
        return gain, max(self.variance - variance, 0.0) / self.variance**2

    def moved(self, gain: float, shrink: float) -> Gaussian:
        """This term once the sum of it and others underwent a `change`: it takes its share."""
        return Gaussian(
            self.mean + self.variance * gain, self.variance * (1.0 - self.variance * shrink)
        )

    def message(self, prior: float) -> tuple[float, float]:
        """The (shift, precision) that turn N(0, prior) into this.

        The precision is enlarged where the message's mean would lie beyond +-16 logits: a mean
        that moved while the variance did not would be no message at all.
        """
        least = abs(self.mean) / (prior * max(_FARTHEST - abs(self.mean), 1.0))
        precision = max(1.0 / self.variance - 1.0 / prior, least)
        return self.mean * (1.0 / prior + precision), precision


def believed(shift: F, precision: F, age: F, drift: F | float, prior: F | float) -> tuple[F, F]:
    """Mean and variance of N(0, prior) times the message N(shift / precision, 1 / precision + age
    x drift): the message's variance grows with `age`, the prior stays."""
    kept = 1.0 / (1.0 + age * drift * precision)
    variance = prior / (1.0 + prior * kept * precision)
    return variance * kept * shift, variance


def drift_slope(
    shift: float, precision: float, age: float, drift: float, prior: float, change: Change
) -> float:
    """How the log-likelihood of what brought a `change` rises with the logarithm of `drift`, by
    way of the term that was `believed` with it: gain is its slope by the term's mean, and half
    of gain^2 - shrink that by its variance."""
    gain, shrink = change
    kept = 1.0 / (1.0 + age * drift * precision)
    variance = prior / (1.0 + prior * kept * precision)
    by_kept = variance**2 * (gain * shift / prior - 0.5 * (gain**2 - shrink) * precision)
    return -age * drift * precision * kept**2 * by_kept
