"""In proportion to the failure rate."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.view import View
from curriculum_env.samplers.weighted import in_proportion


class KimiConfig(BaseConfig):
    """Settings of `Kimi`."""

    type: Literal["kimi"] = "kimi"
    """In proportion to the failure rate."""


class Kimi(Sampler):
    """P ~ 1 - s, s the success rate (Kimi k1.5, arXiv 2501.12599, section 2.3.4, prioritized
    sampling). Their curriculum by given difficulty labels is `staged`."""

    explores: ClassVar[bool] = False

    def __init__(self, config: KimiConfig | None = None) -> None:
        self.config = config or KimiConfig()

    def select(self, n: int, view: View) -> Choice:
        return in_proportion(1.0 - view.estimator.mean(), n, view)
