"""The share of groups that carry a gradient, rho."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any


class Living:
    """rho over all groups, and over the last `window` of them."""

    def __init__(self, window: int = 512) -> None:
        self.groups = 0
        self.alive = 0
        self._recent: deque[bool] = deque(maxlen=window)

    def observe(self, alive: bool) -> None:
        self.groups += 1
        self.alive += alive
        self._recent.append(alive)

    @property
    def rho(self) -> float:
        return self.alive / self.groups if self.groups else 0.0

    @property
    def rho_recent(self) -> float:
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def state_dict(self) -> dict[str, Any]:
        recent = [int(alive) for alive in self._recent]
        return {"groups": self.groups, "alive": self.alive, "recent": recent}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.groups, self.alive = state["groups"], state["alive"]
        self._recent.clear()
        self._recent.extend(bool(alive) for alive in state["recent"])
