"""Whether a graded group is worth training on."""

from curriculum_env.gates.variance import Variance, VarianceConfig

__all__ = ["Variance", "VarianceConfig"]
