"""The pass rate of the whole pool, which what a rule draws does not show."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from curriculum_env.types import BoolArray, FloatArray

_WINDOW, _LEAST, _MASS = 256, 8, 0.9


class Frame(NamedTuple):
    """What a probe was drawn from: the share of the pool, in (0, 1], that was within reach, each
    row alike; and what the rows out of reach add to the pool's pass rate."""

    available: float
    rest: float


class PoolPassRate:
    """An unbiased estimate of the mean pass rate over all rows.

    A probe is a draw of one of the available rows, all alike. Rows out of reach (cooling or leased)
    were drawn before, as a rule because they are neither easy nor hard: the pool is stratified. For
    a probe with mean success Y the estimate is A/N x Y + (N - A)/N x (mean of the latest group of
    each row out of reach); the choice of those rows came before their groups, so they too are
    unbiased (Horvitz and Thompson 1952, in two strata). `rate` is the mean over the last 256
    probes, so it lags behind a policy that learns by half as many probes.
    """

    def __init__(self) -> None:
        self.latest_N: FloatArray = np.empty(0)
        """Mean success of the latest graded group of each row; NaN where there is none."""
        self._frames: dict[int, Frame] = {}
        self._recent: deque[float] = deque(maxlen=_WINDOW)

    def add(self, count: int) -> None:
        """`count` rows joined the pool."""
        self.latest_N = np.concatenate([self.latest_N, np.full(count, np.nan)])

    def frame(self, available_N: BoolArray) -> Frame:
        """What a probe drawn now is drawn from. Rows out of reach whose first group is still being
        played count as the others out of reach."""
        latest = self.latest_N[~available_N]
        known = latest[~np.isnan(latest)]
        if not len(known):
            return Frame(1.0, 0.0)
        available = 1.0 - len(latest) / len(available_N)
        return Frame(available, (1.0 - available) * float(known.mean()))

    def expect(self, draw: int, frame: Frame) -> dict[str, Any]:
        """That draw is a probe; returns the event by which a resume knows it."""
        self._frames[draw] = frame
        return {"draw": draw, **frame._asdict()}

    def restore(self, events: Iterable[Mapping[str, Any]], first: int = 0) -> None:
        """The probes among the draws from number `first` on, as the store's events tell."""
        for event in events:
            if event["draw"] >= first:
                self.expect(event["draw"], Frame(event["available"], event["rest"]))

    def observe(self, draw: int, row: int, success_G: Sequence[float]) -> None:
        """The group of a draw was graded."""
        mean = math.fsum(success_G) / len(success_G)
        self.latest_N[row] = mean
        frame = self._frames.pop(draw, None)
        if frame is not None:
            self._recent.append(frame.available * mean + frame.rest)

    @property
    def probes(self) -> int:
        """How many probes the estimate rests on."""
        return len(self._recent)

    @property
    def rate(self) -> float:
        """In [0, 1]; NaN before the first probe was graded."""
        return math.fsum(self._recent) / len(self._recent) if self._recent else math.nan

    def interval(self) -> tuple[float, float]:
        """The central 90% confidence interval, by Student's t; [0, 1] before eight probes."""
        from scipy.special import stdtrit

        if self.probes < _LEAST:
            return 0.0, 1.0
        error = float(np.std(self._recent, ddof=1)) / math.sqrt(self.probes)
        reach = float(stdtrit(self.probes - 1, (1.0 + _MASS) / 2.0)) * error
        return max(self.rate - reach, 0.0), min(self.rate + reach, 1.0)

    def metrics(self) -> dict[str, float]:
        """`pool_pass_rate` with `_low` and `_high`, once a probe was graded, and `probes`."""
        if not self.probes:
            return {"probes": 0}
        low, high = self.interval()
        rate = {"pool_pass_rate": self.rate, "pool_pass_rate_low": low}
        return {**rate, "pool_pass_rate_high": high, "probes": self.probes}

    def state_dict(self) -> dict[str, Any]:
        """JSON values; the array `latest_N` is kept apart."""
        frames = [[draw, *frame] for draw, frame in self._frames.items()]
        return {"frames": frames, "recent": list(self._recent)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._frames = {draw: Frame(available, rest) for draw, available, rest in state["frames"]}
        self._recent = deque(state["recent"], _WINDOW)
