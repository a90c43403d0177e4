"""Gaussian beliefs about the effects that rows share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from curriculum_env.estimators.effects import EVERYTHING, PER_KIND, SLOTS, Kind, Slots
from curriculum_env.estimators.gaussian import Gaussian, believed
from curriculum_env.types import FloatArray, IntArray

_EVERY_SLOT = np.arange(SLOTS)
_PRIOR_SLOTS = 3.0
_EXPECTED = {
    Kind.NONE: 0.0,
    Kind.EVERYTHING: 4.0,
    Kind.DOMAIN: 1.0,
    Kind.BUCKET: 0.5,
    Kind.FEATURE: 0.5,
    Kind.CELL: 0.25,
    Kind.WORD: 0.05,
}
_DRIFT_SHARE = {Kind.EVERYTHING: 1.0, Kind.DOMAIN: 0.5}
_OTHERS_DRIFT_SHARE = 0.1


class EffectBeliefs:
    """A Gaussian for each slot, with a prior variance for each kind of effect.

    That variance, `prior`, is learned by empirical Bayes: it is the mean of E[effect^2] over the
    slots of the kind visited so far and three more of the variance expected at first. So a kind
    that tells nothing is switched off.
    """

    def __init__(self, drift: float) -> None:
        self._shift, self._precision = np.zeros(SLOTS), np.zeros(SLOTS)
        self._seen, self._square = np.zeros(SLOTS), np.zeros(SLOTS)
        self._drift = [drift * _DRIFT_SHARE.get(kind, _OTHERS_DRIFT_SHARE) for kind in Kind]
        self._sums = [_PRIOR_SLOTS * _EXPECTED[kind] for kind in Kind]
        self._slots = [_PRIOR_SLOTS] * len(Kind)
        self._learn_priors()

    def terms(self, slots: Iterable[int], now: float) -> list[Gaussian]:
        """What is believed of some slots."""
        return [self._term(slot, slot // PER_KIND, now) for slot in slots]

    def learn(self, slots: Iterable[int], terms: Iterable[Gaussian], now: float) -> None:
        """From now on `terms` are believed of the slots."""
        for slot, term in zip(slots, terms, strict=True):
            kind = slot // PER_KIND
            self._shift[slot], self._precision[slot] = term.message(self.prior[kind])
            self._seen[slot] = now
            square, before = term.mean**2 + term.variance, self._square.item(slot)
            self._square[slot] = square
            self._sums[kind] += square - before
            self._slots[kind] += before == 0.0
        self._learn_priors()

    def totals(self, slots_N: Slots, now: float) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of the sum of each row's effects, that of everything included."""
        everything = self.terms([EVERYTHING], now)[0]
        mean_N = np.full(slots_N.shape[1], everything.mean)
        variance_N = np.full(slots_N.shape[1], everything.variance)
        if slots_N.size < SLOTS:
            each = (self._believed(slot_N, now) for slot_N in slots_N)
        else:
            mean_S, variance_S = self._believed(_EVERY_SLOT, now)
            each = ((mean_S[slot_N], variance_S[slot_N]) for slot_N in slots_N)
        for mean, variance in each:
            mean_N += mean
            variance_N += variance
        return mean_N, variance_N

    def priors(self, slots_N: Slots) -> FloatArray:
        """The variance of the sum of each row's effects before anything was learned."""
        prior_K = np.array(self.prior)
        prior_N = np.full(slots_N.shape[1], self.prior[Kind.EVERYTHING])
        for slot_N in slots_N:
            prior_N += prior_K[slot_N // PER_KIND]
        return prior_N

    def discount(self, keep: float) -> None:
        """Keep the share `keep` of what was learned of each effect; the priors stay as learned."""
        self._shift *= keep
        self._precision *= keep

    def get(self, slots: Iterable[int]) -> list[float]:
        """Everything that learning these slots changes."""
        arrays = (self._shift, self._precision, self._seen, self._square)
        return [*self._sums, *self._slots, *(a.item(slot) for slot in slots for a in arrays)]

    def put(self, slots: Iterable[int], values: Sequence[float]) -> None:
        """Restore what `get` returned for these slots."""
        kinds = len(Kind)
        self._sums, self._slots = list(values[:kinds]), list(values[kinds : 2 * kinds])
        self._learn_priors()
        found = iter(values[2 * kinds :])
        for slot in slots:
            for array in (self._shift, self._precision, self._seen, self._square):
                array[slot] = next(found)

    def state_dict(self) -> dict[str, Any]:
        """The visited slots and the sums over each kind, as JSON values."""
        slots = np.flatnonzero(self._square)
        arrays = (self._shift, self._precision, self._seen, self._square)
        return {
            "slots": slots.tolist(),
            "values": [array[slots].tolist() for array in arrays],
            "sums": self._sums,
            "counts": self._slots,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from `state_dict`."""
        arrays = (self._shift, self._precision, self._seen, self._square)
        for array, values in zip(arrays, state["values"], strict=True):
            array[:] = 0.0
            array[state["slots"]] = values
        self._sums, self._slots = list(state["sums"]), list(state["counts"])
        self._learn_priors()

    def _learn_priors(self) -> None:
        self.prior = [total / count for total, count in zip(self._sums, self._slots, strict=True)]

    def _term(self, slot: int, kind: int, now: float) -> Gaussian:
        shift, precision = self._shift.item(slot), self._precision.item(slot)
        age = now - self._seen.item(slot)
        return Gaussian(*believed(shift, precision, age, self._drift[kind], self.prior[kind]))

    def _believed(self, slot_K: IntArray, now: float) -> tuple[FloatArray, FloatArray]:
        kind_K = slot_K // PER_KIND
        prior_K = np.array(self.prior)[kind_K]
        age_K, drift_K = now - self._seen[slot_K], np.array(self._drift)[kind_K]
        return believed(self._shift[slot_K], self._precision[slot_K], age_K, drift_K, prior_K)
