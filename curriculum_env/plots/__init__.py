"""Plots: what is shown, computed apart from how it is drawn."""

from __future__ import annotations

from curriculum_env.plots.accuracy import Curve, Panel, accuracy_panels
from curriculum_env.plots.draw import draw_accuracy
from curriculum_env.plots.draw_variants import draw_variants
from curriculum_env.plots.variants import Variants, variants_of

__all__ = [
    "Curve",
    "Panel",
    "Variants",
    "accuracy_panels",
    "draw_accuracy",
    "draw_variants",
    "variants_of",
]
