"""Conformance suites and real parts for the tests of estimators, samplers, stores and
environments, this package's own and yours. The suites need pytest and hypothesis."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curriculum_env.testing.estimators import EstimatorContract, PerRowEstimatorContract
    from curriculum_env.testing.samplers import SamplerContract
    from curriculum_env.testing.store import StoreContract

_HOMES = {
    "EstimatorContract": "estimators",
    "PerRowEstimatorContract": "estimators",
    "SamplerContract": "samplers",
    "StoreContract": "store",
}

__all__ = ["EstimatorContract", "PerRowEstimatorContract", "SamplerContract", "StoreContract"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
