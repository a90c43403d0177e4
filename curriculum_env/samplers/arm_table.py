"""What is remembered of each bucket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from curriculum_env.types import FloatArray


class ArmTable:
    """Arrays over buckets that grow together and are saved bucket by bucket; each is named, with
    what a fresh bucket begins with."""

    def __init__(self, **fresh: ArrayLike) -> None:
        self._fresh = {name: np.asarray(value, np.float64) for name, value in fresh.items()}
        self._arrays = {name: value[None][:0] for name, value in self._fresh.items()}

    def __getitem__(self, name: str) -> FloatArray:
        return self._arrays[name]

    def grow(self, arms: int) -> None:
        """Begin the buckets up to number `arms`."""
        for name, array in self._arrays.items():
            fresh = np.repeat(self._fresh[name][None], arms - len(array), axis=0)
            self._arrays[name] = np.concatenate([array, fresh])

    def get(self, arm: int) -> dict[str, Any]:
        """One bucket's values, as JSON values."""
        return {name: array[arm].tolist() for name, array in self._arrays.items()}

    def put(self, arm: int, values: Mapping[str, Any]) -> None:
        """Restore what `get` returned."""
        for name, array in self._arrays.items():
            array[arm] = values[name]
