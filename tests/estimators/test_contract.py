from __future__ import annotations

from curriculum_env.estimators import Beta, BetaConfig, Ema, Estimator
from curriculum_env.testing import EstimatorContract


class TestBeta(EstimatorContract):
    def make(self) -> Estimator:
        return Beta()


class TestBetaThatDecaysItsPrior(EstimatorContract):
    def make(self) -> Estimator:
        return Beta(BetaConfig(decay_prior=True))


class TestBetaThatNeverForgets(EstimatorContract):
    def make(self) -> Estimator:
        return Beta(BetaConfig(decay=1.0, age_decay=1.0))


class TestEma(EstimatorContract):
    def make(self) -> Estimator:
        return Ema()
