"""Taskset id `coins`: tasks whose pass rate is known, for tests and benchmarks.

The scripted policy (`curriculum_env.testing.policy`) reads each task's pass rate off its prompt.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import verifiers.v1 as vf

from curriculum_env import (
    Annotation,
    ChatHarness,
    CurriculumMixin,
    CurriculumTaskConfig,
    CurriculumTaskData,
    CurriculumTaskMixin,
    LocalEnv,
    Row,
    Variant,
    content_uid,
)
from curriculum_env.adapters.verifiers import CurriculumTasksetConfig
from curriculum_env.testing.policy import RIGHT, tag

__all__ = ["ChatHarness", "Coins", "LocalEnv"]

WORDS = [
    first + second for first in "bdfgklmnprst" for second in ("ander", "iling", "omata", "uriel")
]
"""What variants are told apart by: long enough words, none like another."""


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
    writing: float = 0.0
    """Seconds that the policy takes to write a variant."""


class Coins(CurriculumMixin, vf.Taskset[CoinTask, CoinsConfig]):
    """Coins, drawn by how they fall."""

    def rows(self) -> Iterator[Row]:
        rng = np.random.default_rng(self.config.rates_seed)
        rates = rng.uniform(0.02, 0.98, self.config.count)
        dead = rng.random(self.config.count) < self.config.dead
        rates[dead] = rates[dead].round()
        return (coin(f"coin-{index}", float(p)) for index, p in enumerate(rates))

    def heldout_rows(self) -> Iterator[Row]:
        return (coin(f"heldout-{index}", 0.5) for index in range(8))

    def augment_prompt(self, parent: Row, kind: str) -> str:
        return f"Write another coin like {parent.uid}. [delay={self.config.writing}]"

    def augment_parse(self, parent: Row, reply: str) -> Variant:
        words = random.sample(WORDS, 8)
        return Variant(f"Toss {' '.join(words)}. [p={parent.data['p']:.4f}]")

    def teacher(self) -> Callable[[Row, str], Annotation]:
        return lambda parent, problem: Annotation(str(tag(problem, "p", 0.0)))

    def child(self, parent: Row, problem: str, answer: str) -> Row:
        made = coin(content_uid({"prompt": problem}), float(answer))
        return replace(made, data={**made.data, "prompt": problem})


def coin(uid: str, p: float) -> Row:
    """The row of a coin; its level is the tenth its pass rate lies in."""
    data = {"prompt": f"Toss {uid}. [p={p:.4f}]", "p": p}
    return Row(uid=uid, data=data, domain="coins", level=f"{int(10 * p)}")
