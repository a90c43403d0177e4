"""Item response theory, online: the ability of the policy against the difficulty of each task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.estimators.base import ALL, Estimator, Rows, offline
from curriculum_env.estimators.effect_beliefs import EffectBeliefs
from curriculum_env.estimators.effects import EVERYTHING, Slots, encode, stack
from curriculum_env.estimators.gaussian import Change, Gaussian, believed, drift_slope
from curriculum_env.estimators.logit_normal import (
    logit_normal_gain,
    logit_normal_survival,
    mean_pass_rate,
    posterior,
    sigmoid,
)
from curriculum_env.estimators.settled import Ratios, Settled
from curriculum_env.estimators.survival import gain, survival
from curriculum_env.types import FloatArray, Row

_LEARNED = ("shift_N", "precision_N", "never_N", "always_N")
_FIRST_GROUPS, _WINDOW = 10, 1000
_DRIFT_SQUARES = 10.0
_LEAST_DRIFT, _MOST_DRIFT = 1e-5, 0.1
_LEAST_SPREAD, _MOST_SPREAD = 0.01, 16.0


class IrtConfig(BaseConfig):
    """Settings of `Irt`."""

    type: Literal["irt"] = "irt"
    """The policy's ability by domain against each task's difficulty: a row never tried is judged
    by its domain, level and features, and all rows move with the policy."""
    drift: float = Field(default=0.002, ge=0)
    """Variance that a policy update adds to the logit of the policy's ability."""
    task_drift: float = Field(default=0.002, ge=0)
    """Variance that a policy update adds to what a task's own rollouts told of it, as expected at
    first; it is learned. 0: none, ever."""
    spread: float = Field(default=1.5, gt=0)
    """Variance of the tasks' own difficulties that is expected at first; it is learned."""
    text: str | None = None
    """Key of the rows' data whose words tell of the difficulty; unset, no text is read."""


class Irt(Estimator):
    """A row is settled (`settled.Settled`), or the logit of its pass rate is the sum of its effects
    (`effects.encode`) and a term of its own.

    The effects of everything and of the domain are the policy's ability; those of the bucket, of
    the features, of their combination and of words, and the row's own term, are difficulty. All
    are independent Gaussians. A group turns the Gaussian of the row's logit into that of the
    same mean and variance as the posterior, and each term takes its share by its variance
    (assumed density filtering with factored Gaussians: TrueSkill, Herbrich et al. 2006;
    AdPredictor, Graepel et al. 2010; here with a binomial likelihood, a logistic link, and drift).
    The own term is believed given that the row is not settled; the effects learn from the mixture.
    The own terms' variance, `spread`, is learned as a moving average of E[term^2], as an
    expectation maximisation would. How fast what was learned of them fades, `task_drift`, climbs
    the likelihood of the rows tried again: its logarithm moves by the slope over the slopes'
    squares so far, 10 added.

    Rows share effects, so a group of one moves what is believed of others. `sample` draws each
    row by itself: the shared part of the doubt is not shared between the samples.
    """

    COLUMNS = (
        "shift_N", "precision_N", "never_N", "always_N", "seen_N",
        "prior_shift_N", "prior_precision_N", "prior_never_N", "prior_always_N",
    )  # fmt: skip
    generalises: ClassVar[bool] = True
    shift_N: FloatArray
    precision_N: FloatArray
    never_N: FloatArray
    always_N: FloatArray
    seen_N: FloatArray
    prior_shift_N: FloatArray
    prior_precision_N: FloatArray
    prior_never_N: FloatArray
    prior_always_N: FloatArray

    def __init__(self, config: IrtConfig | None = None) -> None:
        super().__init__()
        self.config = config or IrtConfig()
        self.settled = Settled()
        self.effects = EffectBeliefs(self.config.drift)
        self.slots_N: Slots = np.empty((0, 0), np.uint16)
        self.spread, self._groups = self.config.spread, 0.0
        self.task_drift, self._slopes = self.config.task_drift, _DRIFT_SQUARES

    def add(self, rows: Sequence[Row]) -> None:
        super().add(rows)
        self.slots_N = stack(self.slots_N, encode(rows, self.config.text))

    def forget_rows(self) -> None:
        super().forget_rows()
        self.slots_N = np.empty((0, 0), np.uint16)

    def initial(self, rows: Sequence[Row]) -> dict[str, FloatArray]:
        """An offline pass rate is a message of the precision of its rollouts, n p (1-p), about
        the own term: the effects then learn how the policy differs from the one measured. It also
        tells whether the row is settled."""
        seen_N = np.full(len(rows), self.now)
        passes_N, attempts_N = offline(rows)
        if not attempts_N.any():  # zeros that nobody writes to take no memory
            return {name: np.zeros(len(rows)) for name in self.COLUMNS} | {"seen_N": seen_N}
        p_N = (passes_N + 1.0) / (attempts_N + 2.0)
        precision_N = attempts_N * p_N * (1.0 - p_N)
        shift_N = precision_N * np.log(p_N / (1.0 - p_N))
        never_N, always_N = self.settled.offline(passes_N, attempts_N - passes_N)
        learned = dict(zip(_LEARNED, (shift_N, precision_N, never_N, always_N), strict=True))
        priors = {f"prior_{name}": values.copy() for name, values in learned.items()}
        return {**learned, **priors, "seen_N": seen_N}

    def update(self, row: int, success_G: Sequence[float]) -> None:
        passes, size, slots = float(sum(success_G)), len(success_G), self._slots(row)
        effects, own = self.effects.terms(slots, self.now), self._own(row)
        prior = Gaussian(*map(sum, zip(*effects, own, strict=True)))
        mean, variance, log_evidence = posterior(*prior, passes, size)
        free = self._learn_settled(row, passes, size, log_evidence)
        change = prior.change(mean, variance)
        self._learn_drift(row, change, free)
        self._learn_own(row, own.moved(*change), free)
        moved = mean - prior.mean
        mean = prior.mean + free * moved
        variance += (1.0 - free) * (prior.variance - variance + free * moved**2)
        change = prior.change(mean, variance)
        self.effects.learn(slots, [effect.moved(*change) for effect in effects], self.now)

    def mean(self, rows: Rows = ALL) -> FloatArray:
        return self._mix(mean_pass_rate(*self.logit(rows)), self.settled.rates, rows)

    def evidence(self, rows: Rows = ALL) -> FloatArray:
        """The precision of the logit that was gained, in rollouts of p (1-p) each."""
        mean, variance = self.logit(rows)
        p = mean_pass_rate(mean, variance)
        prior = self.effects.priors(self.slots_N[:, rows]) + self.spread
        return np.maximum(1.0 / variance - 1.0 / prior, 0.0) / (p * (1.0 - p))

    def sample(self, rng: np.random.Generator, rows: Rows = ALL) -> FloatArray:
        mean, variance = self.logit(rows)
        p = sigmoid(mean + np.sqrt(variance) * rng.standard_normal(len(mean)))
        never, always = self._settled(rows)
        chance, rates = rng.random(len(mean)), self.settled.rates
        return np.where(chance < never, rates[0], np.where(chance > 1.0 - always, rates[1], p))

    def survival(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        free = logit_normal_survival(*self.logit(rows), group_size)
        luck, unslipped = self.settled.rates
        settled = float(survival(luck, group_size)), float(survival(unslipped, group_size))
        return self._mix(free, settled, rows)

    def gain(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        free = logit_normal_gain(*self.logit(rows), group_size)
        luck, unslipped = self.settled.rates
        settled = float(gain(luck, group_size)), float(gain(unslipped, group_size))
        return self._mix(free, settled, rows)

    def interval(self, mass: float = 0.9, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        """Quantiles; settled rows count as of pass rate 0 or 1."""
        from scipy.special import ndtri

        mean, variance = self.logit(rows)
        never, always = self._settled(rows)
        low, high = (
            np.clip((q - never) / (1.0 - never - always), 0.0, 1.0)
            for q in ((1.0 - mass) / 2.0, (1.0 + mass) / 2.0)
        )
        reach = np.sqrt(variance)
        return sigmoid(mean + reach * ndtri(low)), sigmoid(mean + reach * ndtri(high))

    def logit(self, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the Gaussian belief about the logit of the pass rate."""
        mean, variance = self.effects.totals(self.slots_N[:, rows], self.now)
        age = self.now - self.seen_N[rows]
        own_mean, own_variance = believed(
            self.shift_N[rows], self.precision_N[rows], age, self.task_drift, self.spread
        )
        return mean + own_mean, variance + own_variance

    def discount(self, keep: float) -> None:
        self.effects.discount(keep)
        for name in _LEARNED:
            learned, prior = getattr(self, name), getattr(self, f"prior_{name}")
            learned += (keep - 1.0) * (learned - prior)

    def get(self, row: int) -> tuple[float, ...]:
        shared = self.effects.get(self._slots(row))
        return (*super().get(row), *self._common(), *self.settled.get(), *shared)

    def put(self, row: int, belief: tuple[float, ...]) -> None:
        own = len(self.COLUMNS)
        super().put(row, belief[:own])
        self.spread, self._groups, self.task_drift, self._slopes, *rest = belief[own:]
        self.settled.put(rest[:8])
        self.effects.put(self._slots(row), rest[8:])

    def state_dict(self) -> dict[str, Any]:
        return {
            "own": self._common(),
            "settled": self.settled.get(),
            "effects": self.effects.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.spread, self._groups, self.task_drift, self._slopes = state["own"]
        self.settled.put(state["settled"])
        self.effects.load_state_dict(state["effects"])

    def _slots(self, row: int) -> list[int]:
        return [EVERYTHING, *(slot for slot in self.slots_N[:, row].tolist() if slot)]

    def _common(self) -> list[float]:
        return [self.spread, self._groups, self.task_drift, self._slopes]

    def _own(self, row: int) -> Gaussian:
        shift, precision = self.shift_N.item(row), self.precision_N.item(row)
        age = self.now - self.seen_N.item(row)
        return Gaussian(*believed(shift, precision, age, self.task_drift, self.spread))

    def _settled(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        return self.settled.probabilities(self.never_N[rows], self.always_N[rows])

    def _mix(self, free: FloatArray, settled: tuple[float, float], rows: Rows) -> FloatArray:
        """The mean of what is `free` for an open row, and `settled` for the two others."""
        never, always = self._settled(rows)
        return free + never * (settled[0] - free) + always * (settled[1] - free)

    def _learn_settled(self, row: int, passes: float, size: int, log_open: float) -> float:
        """The probability that the row is open, after the group."""
        before = Ratios(self.never_N.item(row), self.always_N.item(row))
        after = self.settled.weigh(before, passes, size, log_open)
        untried = before == (self.prior_never_N.item(row), self.prior_always_N.item(row))
        self.never_N[row], self.always_N[row] = after
        return self.settled.learn(None if untried else before, after, passes, size)

    def _learn_drift(self, row: int, change: Change, free: float) -> None:
        precision, age = self.precision_N.item(row), self.now - self.seen_N.item(row)
        if not precision or not age or not self.task_drift:
            return
        shift = self.shift_N.item(row)
        slope = free * drift_slope(shift, precision, age, self.task_drift, self.spread, change)
        self._slopes += slope**2
        drift = self.task_drift * math.exp(min(max(slope / self._slopes, -1.0), 1.0))
        self.task_drift = min(max(drift, _LEAST_DRIFT), _MOST_DRIFT)

    def _learn_own(self, row: int, own: Gaussian, free: float) -> None:
        self.shift_N[row], self.precision_N[row] = own.message(self.spread)
        self.seen_N[row] = self.now
        self._groups += free
        rate = free * max(1.0 / (self._groups + _FIRST_GROUPS), 1.0 / _WINDOW)
        spread = self.spread + rate * (own.mean**2 + own.variance - self.spread)
        self.spread = min(max(spread, _LEAST_SPREAD), _MOST_SPREAD)
