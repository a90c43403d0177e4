"""Whether a graded group is worth training on."""

from __future__ import annotations

from curriculum_env.gates.variance import Variance, VarianceConfig

__all__ = ["Variance", "VarianceConfig"]
