"""Beliefs about pass rates, as arrays over rows."""

from __future__ import annotations

from curriculum_env.estimators.base import Estimator
from curriculum_env.estimators.beta import Beta, BetaConfig
from curriculum_env.estimators.ema import Ema, EmaConfig
from curriculum_env.estimators.survival import beta_survival, survival

__all__ = ["Beta", "BetaConfig", "Ema", "EmaConfig", "Estimator", "beta_survival", "survival"]
