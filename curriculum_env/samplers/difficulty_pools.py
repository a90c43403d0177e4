"""Three pools by the latest group mean, each with a weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.memory import Memory
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import in_proportion
from curriculum_env.types import FloatArray, Group, Row

_UNSEEN = -1.0
_NAMES = ("hard", "normal", "easy")


class DifficultyPoolsConfig(BaseConfig):
    """Settings of `DifficultyPools`."""

    type: Literal["difficulty-pools"] = "difficulty-pools"
    """Hard, normal and easy rows by their latest group mean, each pool with a weight."""
    thresholds: tuple[float, float] = (0.25, 0.75)
    """The greatest group mean of a hard and of a normal row."""
    weights: tuple[float, float, float] = (0.2, 1.0, 0.2)
    """Weight of a hard, a normal and an easy row."""
    unseen: float = Field(default=1.0, gt=0)
    """Weight of a row without a graded group."""

    @model_validator(mode="after")
    def _usable(self) -> Self:
        low, high = self.thresholds
        if not 0.0 <= low < high <= 1.0:
            raise ValueError(
                f"thresholds are [{low}, {high}]; expected two rising pass rates in [0, 1]"
            )
        if min(self.weights) < 0.0 or max(self.weights) == 0.0:
            raise ValueError(
                f"weights are {list(self.weights)}; expected three of at least 0, not all 0"
            )
        return self


class DifficultyPools(Sampler):
    """P ~ the weight of the row's pool, the latest group alone deciding (prime-rl,
    `orchestrator/curriculum`). There the same task may be drawn again while it is out; here a
    draw is a lease, so draws are without replacement among the available rows."""

    explores: ClassVar[bool] = False

    def __init__(self, config: DifficultyPoolsConfig | None = None) -> None:
        self.config = config or DifficultyPoolsConfig()
        self._memory = Memory(latest=_UNSEEN)

    def add(self, rows: Sequence[Row]) -> None:
        self._memory.add(rows)

    def observe(self, group: Group) -> None:
        self._memory["latest"][group.row] = sum(group.success_G) / len(group.success_G)

    def weights(self) -> FloatArray:
        """The weight of each row."""
        latest_N = self._memory["latest"]
        pool_N = np.searchsorted(self.config.thresholds, latest_N)
        weight_N = np.array(self.config.weights)[pool_N]
        return np.where(latest_N == _UNSEEN, self.config.unseen, weight_N)

    def select(self, n: int, view: View) -> Choice:
        return in_proportion(self.weights(), n, view)

    def state_dict(self) -> dict[str, Any]:
        return self._memory.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._memory.load_state_dict(state)

    def metrics(self) -> dict[str, float]:
        latest_N = self._memory["latest"]
        seen_N = latest_N != _UNSEEN
        count = np.bincount(np.searchsorted(self.config.thresholds, latest_N[seen_N]), minlength=3)
        pools = {f"pool_{name}": float(count[i]) for i, name in enumerate(_NAMES)}
        return {"pool_unseen": float(len(latest_N) - seen_N.sum()), **pools}
