"""Beliefs about pass rates, as arrays over rows."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Field
from pydantic_config import BaseConfig

from curriculum_env.estimators.base import Estimator
from curriculum_env.estimators.beta import Beta, BetaConfig
from curriculum_env.estimators.ema import Ema, EmaConfig
from curriculum_env.estimators.survival import beta_survival, survival

KINDS: dict[type[BaseConfig], Any] = {BetaConfig: Beta, EmaConfig: Ema}

EstimatorConfig: TypeAlias = Annotated[BetaConfig | EmaConfig, Field(discriminator="type")]

__all__ = [
    "KINDS",
    "Beta",
    "BetaConfig",
    "Ema",
    "EmaConfig",
    "Estimator",
    "EstimatorConfig",
    "beta_survival",
    "build_estimator",
    "survival",
]


def build_estimator(config: BaseConfig) -> Estimator:
    """The estimator that `config` describes, without rows."""
    estimator: Estimator = KINDS[type(config)](config)
    return estimator
