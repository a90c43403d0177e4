"""Taskset id `coins`: tasks whose pass rate is known, for tests and benchmarks.

The scripted policy (`curriculum_env.testing.policy`) reads each task's pass rate off its prompt.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import verifiers.v1 as vf

from curriculum_env import (
    ChatHarness,
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    LocalEnv,
    Row,
)
from curriculum_env.adapters.verifiers import CurriculumTasksetConfig
from curriculum_env.testing.policy import RIGHT

__all__ = ["ChatHarness", "Coins", "LocalEnv"]


class CoinData(CurriculumTaskData):
    """A coin that lands right with probability `p`."""

    p: float


class CoinTask(CurriculumTaskMixin, vf.Task[CoinData, vf.State, CurriculumTaskConfig]):
    """Right earns 1."""

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == RIGHT)


class CoinsConfig(CurriculumTasksetConfig):
    """`count` coins with pass rates uniform in [.02, .98] under `rates_seed`, of which the
    share `dead` always lands the same way."""

    count: int = 2000
    dead: float = 0.0
    rates_seed: int = 0


class Coins(CurriculumMixin, vf.Taskset[CoinTask, CoinsConfig]):
    """Coins, drawn by how they fall."""

    def rows(self) -> Iterator[Row]:
        random = np.random.default_rng(self.config.rates_seed)
        rates = random.uniform(0.02, 0.98, self.config.count)
        dead = random.random(self.config.count) < self.config.dead
        rates[dead] = rates[dead].round()
        return (coin(f"coin-{index}", float(p)) for index, p in enumerate(rates))

    def heldout_rows(self) -> Iterator[Row]:
        return (coin(f"heldout-{index}", 0.5) for index in range(8))


def coin(uid: str, p: float) -> Row:
    """The row of a coin; its level is the tenth its pass rate lies in."""
    data = {"prompt": f"Toss {uid}. [p={p:.4f}]", "p": p}
    return Row(uid=uid, data=data, domain="coins", level=f"{int(10 * p)}")
