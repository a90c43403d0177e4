"""SPEED: screen a task with a few rollouts, go on only where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Followup, Sampler
from curriculum_env.samplers.rules import RuleConfig, build_rule
from curriculum_env.samplers.uniform import UniformConfig
from curriculum_env.samplers.view import View
from curriculum_env.types import Group, Row


class SpeedConfig(BaseConfig):
    """Settings of `Speed`."""

    type: Literal["speed"] = "speed"
    """A few rollouts of a task first; many more only where these differ. Needs a loop that gives a
    draw the number of rollouts it asks for."""
    screen: int = Field(default=4, ge=2)
    """Rollouts of the screening."""
    more: int = Field(default=20, ge=1)
    """Rollouts added where the screening was neither all failures nor all successes."""
    inside: RuleConfig = UniformConfig()
    """The rule that picks what is screened (the paper: at random), with its settings."""


class Speed(Sampler):
    """Zhang, Arora, Mei and Zanette 2025 (arXiv 2506.09016): screen with 4 rollouts; if
    0 < p < 1, continue with 20 more and train on all 24.

    A continuation is a draw of its own, whose `continues` names the screening's draw; it comes
    before further screenings, so both are generated together. The authors' buffer of prompts
    waiting for a batch is the trainer's: what is drawn here is trained on when it is complete.
    """

    explores: ClassVar[bool] = False

    def __init__(self, config: SpeedConfig | None = None) -> None:
        self.config = config or SpeedConfig()
        self.inside = build_rule(self.config.inside)
        self.screened = self.passed = 0
        self._uids: list[str] = []
        self._continuing: set[int] = set()
        self._waiting: list[Followup] = []

    def add(self, rows: Sequence[Row]) -> None:
        self.inside.add(rows)
        self._uids.extend(row.uid for row in rows)

    def select(self, n: int, view: View) -> Choice:
        rows_K, propensity_K, _ = self.inside.select(n, view)
        self._continuing.difference_update(rows_K.tolist())
        return Choice(rows_K, propensity_K, np.full(len(rows_K), self.config.screen))

    def observe(self, group: Group) -> None:
        self.inside.observe(group)
        if group.row in self._continuing:
            self._continuing.discard(group.row)
            return
        self.screened += 1
        if group.alive:
            self.passed += 1
            self._continuing.add(group.row)
            self._waiting.append(Followup(group.row, self.config.more, group.draw))

    def followups(self) -> list[Followup]:
        waiting, self._waiting = self._waiting, []
        return waiting

    def heldout(self, accuracy: float) -> None:
        self.inside.heldout(accuracy)

    def state_dict(self) -> dict[str, Any]:
        return {
            "screened": self.screened,
            "passed": self.passed,
            "continuing": [self._uids[row] for row in sorted(self._continuing)],
            "waiting": [[self._uids[item.row], *item[1:]] for item in self._waiting],
            "inside": self.inside.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        row = {uid: i for i, uid in enumerate(self._uids)}
        self.screened, self.passed = state["screened"], state["passed"]
        self._continuing = {row[uid] for uid in state["continuing"] if uid in row}
        self._waiting = [
            Followup(row[uid], more, draw) for uid, more, draw in state["waiting"] if uid in row
        ]
        self.inside.load_state_dict(state["inside"])

    def metrics(self) -> dict[str, float]:
        share = self.passed / self.screened if self.screened else 0.0
        return {"screened": self.screened, "passed_screening": share, **self.inside.metrics()}
