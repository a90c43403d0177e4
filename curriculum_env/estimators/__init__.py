"""Beliefs about pass rates, as arrays over rows."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.estimators.anchors import Anchors, AnchorsConfig
from curriculum_env.estimators.base import Estimator
from curriculum_env.estimators.beta import Beta, BetaConfig
from curriculum_env.estimators.ema import Ema, EmaConfig
from curriculum_env.estimators.irt import Irt, IrtConfig
from curriculum_env.estimators.survival import beta_survival, gain, survival

KINDS: dict[type[BaseConfig], Any] = {
    BetaConfig: Beta,
    EmaConfig: Ema,
    AnchorsConfig: Anchors,
    IrtConfig: Irt,
}

EstimatorConfig: TypeAlias = Annotated[
    BetaConfig | EmaConfig | AnchorsConfig | IrtConfig, Field(discriminator="type")
]

__all__ = [
    "KINDS",
    "Anchors",
    "AnchorsConfig",
    "Beta",
    "BetaConfig",
    "Ema",
    "EmaConfig",
    "Estimator",
    "EstimatorConfig",
    "Irt",
    "IrtConfig",
    "beta_survival",
    "build_estimator",
    "gain",
    "survival",
]


def build_estimator(config: BaseConfig) -> Estimator:
    """The estimator that `config` describes, without rows."""
    estimator: Estimator = KINDS[type(config)](config)
    return estimator
