"""One term of a logit: a Gaussian prior around 0, and what was learned as a message that fades."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from curriculum_env.types import FloatArray

_FARTHEST = 16.0

F = TypeVar("F", float, FloatArray)


class Gaussian(NamedTuple):
    """What is believed of one term."""

    mean: float
    variance: float

    def change(self, mean: float, variance: float) -> tuple[float, float]:
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
