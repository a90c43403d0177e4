"""One term of a logit: a Gaussian prior around 0, and what was learned as a message that fades."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from curriculum_env.types import FloatArray

F = TypeVar("F", float, FloatArray)


class Gaussian(NamedTuple):
    """What is believed of one term."""

    mean: float
    variance: float

    def moved(self, gain: float, shrink: float) -> Gaussian:
        """This term's share of a change of the sum of all terms: `gain` is the change of the
        sum's mean over its variance, `shrink` the loss of its variance over its square."""
        return Gaussian(
            self.mean + self.variance * gain, self.variance * (1.0 - self.variance * shrink)
        )

    def message(self, prior: float) -> tuple[float, float]:
        """The (shift, precision) that turn N(0, prior) into this."""
        return self.mean / self.variance, max(1.0 / self.variance - 1.0 / prior, 0.0)


def believed(shift: F, precision: F, age: F, drift: F | float, prior: F | float) -> tuple[F, F]:
    """Mean and variance of N(0, prior) times the message N(shift / precision, 1 / precision + age
    x drift): the message's variance grows with `age`, the prior stays."""
    kept = 1.0 / (1.0 + age * drift * precision)
    variance = prior / (1.0 + prior * kept * precision)
    return variance * kept * shift, variance
