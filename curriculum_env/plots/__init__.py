"""Plots: what is shown, computed apart from how it is drawn."""

from __future__ import annotations

from curriculum_env.plots.accuracy import Curve, Panel, accuracy_panels
from curriculum_env.plots.draw import draw_accuracy

__all__ = ["Curve", "Panel", "accuracy_panels", "draw_accuracy"]
