"""Every available row alike: the baseline."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic_config import BaseConfig

from curriculum_env.samplers.base import Choice, Sampler
from curriculum_env.samplers.view import View


class UniformConfig(BaseConfig):
    """Settings of `Uniform`."""

    type: Literal["uniform"] = "uniform"
    """Every available row alike; the baseline."""


class Uniform(Sampler):
    """Draws rows at random, without regard to beliefs, visits or exploration."""

    explores: ClassVar[bool] = False

    def __init__(self, config: UniformConfig | None = None) -> None:
        self.config = config or UniformConfig()

    def select(self, n: int, view: View) -> Choice:
        return Choice(*view.choose_evenly(n))
