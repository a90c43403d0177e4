"""Taskset id `paced-coins`: coins whose every toss takes a while."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import verifiers.v1 as vf
from coins import CoinsConfig as _CoinsConfig
from coins import CoinTask as _CoinTask
from coins import coin

from curriculum_env import ChatHarness, CurriculumMixin, LocalEnv, Row

__all__ = ["ChatHarness", "LocalEnv", "PacedCoins"]


class PacedCoinsConfig(_CoinsConfig):
    """`delay` is how many seconds a toss takes."""

    count: int = 200
    delay: float = 0.2


class PacedCoins(CurriculumMixin, vf.Taskset[_CoinTask, PacedCoinsConfig]):
    """Fair coins, slow."""

    def rows(self) -> Iterator[Row]:
        for index in range(self.config.count):
            row = coin(f"paced-{index}", 0.5)
            prompt = f"{row.data['prompt']} [delay={self.config.delay}]"
            yield replace(row, data={**row.data, "prompt": prompt})
