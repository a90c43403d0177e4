"""How hard each row is said to be before any rollout, from 0 to 100."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from curriculum_env.errors import ConfigError
from curriculum_env.types import FloatArray, Row

_NUMBER = re.compile(r"(\d+)")


def natural(level: str) -> tuple[Any, ...]:
    """A key that sorts levels as people do: `2` before `10`, `grade 9` before `grade 10`."""
    parts = _NUMBER.split(level)
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts)


class Difficulty:
    """100 * (1 - offline pass rate) where a row has offline rollouts; else the feature of that
    name, rescaled from `scale`; else the place of its level among all levels, spread over 0 to 100.

    Levels are sorted as numbers and words (`natural`), or as `order` lists them.
    """

    def __init__(
        self, feature: str | None, scale: tuple[float, float], order: Sequence[str] | None
    ) -> None:
        self._feature, self._scale, self._order = feature, scale, order
        self._known: list[float] = []
        self._levels: list[str] = []

    def add(self, rows: Sequence[Row]) -> FloatArray:
        """Append rows, and return the difficulty of all rows so far.

        Raises:
            ConfigError: a row has neither offline rollouts, nor the feature, nor a level, or there
                is nothing to tell several rows apart by.
        """
        for row in rows:
            known = self._of(row)
            self._known.append(known)
            self._levels.append(row.level if math.isnan(known) else "")
        known_N = np.array(self._known)
        return np.where(np.isnan(known_N), self._by_level(), known_N)

    def _of(self, row: Row) -> float:
        """The row's own difficulty; NaN where its level has to say it."""
        if row.prior_attempts > 0:
            return 100.0 * (1.0 - row.prior_passes / row.prior_attempts)
        if self._feature is not None:
            return self._from_feature(row, self._feature)
        if row.level:
            return math.nan
        raise ConfigError(
            f"row {row.uid} has no difficulty; expected offline rollouts (prior_attempts), a level "
            "or the feature named by sampler.feature: add one of them or use another sampler"
        )

    def _from_feature(self, row: Row, name: str) -> float:
        value, (low, high) = row.features.get(name), self._scale
        if isinstance(value, int | float) and math.isfinite(value):
            return 100.0 * min(max((value - low) / (high - low), 0.0), 1.0)
        raise ConfigError(
            f"row {row.uid} has {value!r} for the feature {name!r} that sampler.feature names; "
            "expected a finite number in every row without offline rollouts: add it, or unset "
            "sampler.feature to go by level"
        )

    def _by_level(self) -> FloatArray:
        """The difficulty by level of each row; NaN for rows that know their own."""
        ranks = level_ranks(set(self._levels) - {""}, self._order)
        if len(ranks) == 1 and len(self._levels) > 1 and all(self._levels):
            raise ConfigError(
                f"every row has level {next(iter(ranks))!r} and none has offline rollouts; "
                "expected something that orders them: several levels, prior_attempts, or a feature "
                "named by sampler.feature"
            )
        spread = 100.0 / max(len(self._order or ranks) - 1, 1)
        place = {level: rank * spread for level, rank in ranks.items()}
        return np.array([place.get(level, math.nan) for level in self._levels])


def level_ranks(levels: Iterable[str], order: Sequence[str] | None) -> dict[str, int]:
    """The place, from 0, of each level: as `order` lists them, or sorted.

    Raises:
        ConfigError: a level is missing from `order`.
    """
    levels = set(levels)
    if order is None:
        return {level: rank for rank, level in enumerate(sorted(levels, key=natural))}
    missing = sorted(levels - set(order))
    if missing:
        raise ConfigError(
            f"the pool has level {missing[0]!r}, which sampler.order does not list "
            f"({', '.join(order)}); expected every level of the pool: add it"
        )
    return {level: order.index(level) for level in levels}
