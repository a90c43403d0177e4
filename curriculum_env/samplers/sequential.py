"""The rows in their own order, round and round: the reference for resume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.view import View


class SequentialConfig(BaseConfig):
    """Settings of `Sequential`."""

    type: Literal["sequential"] = "sequential"
    """The rows in their own order, round and round."""


class Sequential(Sampler):
    """Passes over the pool in order; a row that is not available is passed over."""

    explores: ClassVar[bool] = False

    def __init__(self, config: SequentialConfig | None = None) -> None:
        self.config = config or SequentialConfig()
        self.position = 0

    def select(self, n: int, view: View) -> Choice:
        rows_N = np.flatnonzero(view.available_N)
        start = int(np.searchsorted(rows_N, self.position))
        rows_K = np.roll(rows_N, -start)[:n]
        if len(rows_K):
            self.position = (int(rows_K[-1]) + 1) % view.size
        return Choice(rows_K, np.ones(len(rows_K)))

    def state_dict(self) -> dict[str, Any]:
        return {"position": self.position}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.position = int(state["position"])
