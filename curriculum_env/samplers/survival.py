"""The rows whose group is most likely to carry a gradient."""

from __future__ import annotations

from typing import Literal

from pydantic_config import BaseConfig

from curriculum_env.samplers.base import ScoreSampler
from curriculum_env.samplers.view import View
from curriculum_env.types import FloatArray


class SurvivalConfig(BaseConfig):
    """Settings of `Survival`."""

    type: Literal["survival"] = "survival"
    """The rows whose group is most likely not to be all alike, under the whole belief."""


class Survival(ScoreSampler):
    """E[S_G] under the belief: aware of the group size, and of how little is known of a row."""

    def __init__(self, config: SurvivalConfig | None = None) -> None:
        self.config = config or SurvivalConfig()

    def score(self, view: View) -> FloatArray:
        return view.estimator.survival(max(view.group_size, 2))
