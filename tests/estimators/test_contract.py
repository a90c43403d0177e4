from __future__ import annotations

from curriculum_env.estimators import (
    Anchors,
    AnchorsConfig,
    Beta,
    BetaConfig,
    Ema,
    Estimator,
    Irt,
    IrtConfig,
)
from curriculum_env.testing import EstimatorContract, PerRowEstimatorContract


class TestBeta(PerRowEstimatorContract):
    def make(self) -> Estimator:
        return Beta()


class TestBetaThatDecaysItsPrior(PerRowEstimatorContract):
    def make(self) -> Estimator:
        return Beta(BetaConfig(decay_prior=True))


class TestBetaThatNeverForgets(PerRowEstimatorContract):
    def make(self) -> Estimator:
        return Beta(BetaConfig(decay=1.0, age_decay=1.0))


class TestEma(PerRowEstimatorContract):
    def make(self) -> Estimator:
        return Ema()


class TestAnchors(EstimatorContract):
    def make(self) -> Estimator:
        return Anchors()


class TestAnchorsWithoutInterpolation(EstimatorContract):
    def make(self) -> Estimator:
        return Anchors(AnchorsConfig(implicit=0.0, forget=0.05))


class TestIrt(EstimatorContract):
    def make(self) -> Estimator:
        return Irt()


class TestIrtThatReadsText(EstimatorContract):
    def make(self) -> Estimator:
        return Irt(IrtConfig(text="question", drift=0.0, task_drift=0.0))
