"""Taskset id `plain-coins`: the coins without a curriculum, as a third party would write them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import verifiers.v1 as vf

from curriculum_env import ChatHarness, LocalEnv
from curriculum_env.testing.policy import RIGHT

__all__ = ["ChatHarness", "LocalEnv", "PlainCoins"]


class PlainCoinData(vf.TaskData):
    """A coin that lands right with probability `p`."""

    p: float


class PlainCoinTask(vf.Task[PlainCoinData]):
    """Right earns 1."""

    @vf.reward
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply == RIGHT)


class PlainCoinsConfig(vf.TasksetConfig):
    """`count` coins with pass rates uniform in [.02, .98] under `rates_seed`."""

    count: int = 2000
    rates_seed: int = 0


class PlainCoins(vf.Taskset[PlainCoinTask, PlainCoinsConfig]):
    """Coins in order."""

    def load(self) -> Iterator[PlainCoinTask]:
        rates = np.random.default_rng(self.config.rates_seed).uniform(0.02, 0.98, self.config.count)
        for index, p in enumerate(rates):
            prompt = f"Toss coin-{index}. [p={p:.4f}]"
            yield PlainCoinTask(PlainCoinData(idx=index, prompt=prompt, p=p), self.config.task)
