"""A small world with known pass rates."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig, Draw, Outcome, Row
from curriculum_env.store import Store

GROUP_SIZE = 8


def rows(count: int, levels: int = 5) -> list[Row]:
    return [
        Row(uid=f"{i:08x}", data={"i": i}, domain="d", level=str(i % levels)) for i in range(count)
    ]


def curriculum(
    pool: int | Sequence[Row] = 100,
    store: Store | str | None = None,
    clock: Callable[[], float] | None = None,
    **settings: Any,
) -> Curriculum:
    config = CurriculumConfig.model_validate({"group_size": GROUP_SIZE, **settings})
    made = rows(pool) if isinstance(pool, int) else pool
    return Curriculum(made, config, store, clock=clock or time.time)


def outcomes(draw: Draw, rewards: Sequence[float | None], attempt: str = "") -> list[Outcome]:
    """One outcome per reward; None is an error."""
    return [
        Outcome(
            draw.number,
            draw.uid,
            f"{draw.number}{attempt}.{i}",
            reward,
            "error" if reward is None else "ok",
        )
        for i, reward in enumerate(rewards)
    ]


class World:
    """Plays draws with `flight` groups in flight and known pass rates."""

    def __init__(self, curriculum: Curriculum, pass_rate_N: Sequence[float], flight: int = 8):
        self.curriculum, self.pass_rate_N, self.flight = curriculum, pass_rate_N, flight
        self.waiting: deque[Draw] = deque()
        self.drawn: list[str] = []
        self.alive: list[bool] = []
        self._rng = np.random.default_rng(7)

    def engine_state(self) -> dict[str, Any]:
        """The state as it comes back from JSON."""
        state = self.curriculum.state_dict()
        plain = {key: value for key, value in state.items() if key != "arrays"}
        return {**json.loads(json.dumps(plain)), "arrays": state["arrays"]}

    def play(self, draws: int) -> None:
        for _ in range(draws):
            self.waiting.append(self.curriculum.ask())
            self.drawn.append(self.waiting[-1].uid)
            if len(self.waiting) >= self.flight:
                self.grade(self.waiting.popleft())

    def grade(self, draw: Draw) -> None:
        rate = self.pass_rate_N[int(draw.uid, 16)]
        rewards = [float(x) for x in self._rng.random(GROUP_SIZE) < rate]
        self.alive.append(len(set(rewards)) > 1)
        for outcome in outcomes(draw, rewards):
            self.curriculum.tell(outcome)
