"""Draws panels with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curriculum_env.errors import ConfigError
from curriculum_env.plots.accuracy import Curve, Panel
from curriculum_env.sim.entrants import DEFAULT, UNIFORM

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 4
_OURS, _PLAIN = "#c0392b", "#222222"
_OTHERS = ("#2471a3", "#229954", "#b9770e", "#7d3c98", "#117a65", "#5d6d7e", "#a04000", "#1f618d")


def draw_accuracy(panels: Sequence[Panel], path: Path) -> None:
    """Draw one panel per setting into a file; its suffix (.png, .svg, .pdf) is the format.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    columns = min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = figure_class()(figsize=(4.0 * columns, 3.2 * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    colours = _colours(panels)
    for axis, panel in zip(axes, panels, strict=False):
        _draw_panel(axis, panel, colours)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    figure.supxlabel("thousands of rollouts")
    figure.supylabel("accuracy on held-out tasks")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _draw_panel(axis: Axes, panel: Panel, colours: dict[str, str]) -> None:
    thousands_T = [rollouts / 1000 for rollouts in panel.rollouts_T]
    for curve in panel.curves:
        colour = colours[curve.entrant]
        axis.fill_between(thousands_T, curve.low_T, curve.high_T, color=colour, alpha=0.12, lw=0)
        axis.plot(thousands_T, curve.accuracy_T, color=colour, label=curve.entrant, **_style(curve))
    axis.set_title(panel.setting, fontsize="medium")
    axis.grid(alpha=0.2)
    axis.legend(fontsize="x-small", frameon=False, loc="lower right")


def _style(curve: Curve) -> dict[str, Any]:
    if curve.entrant == DEFAULT:
        return {"lw": 2.2, "zorder": 3}
    return {"lw": 1.2, "ls": "--" if curve.entrant == UNIFORM else "-"}


def _colours(panels: Iterable[Panel]) -> dict[str, str]:
    """One colour for each entrant, the same in every panel."""
    names = dict.fromkeys(curve.entrant for panel in panels for curve in panel.curves)
    others = [name for name in names if name not in (DEFAULT, UNIFORM)]
    shades = {name: _OTHERS[i % len(_OTHERS)] for i, name in enumerate(others)}
    return {DEFAULT: _OURS, UNIFORM: _PLAIN, **shades}


def figure_class() -> Any:
    """The figures of matplotlib; raises `ConfigError` where it is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError(
            "matplotlib is not installed, so nothing can be drawn; expected the extra: "
            "pip install 'curriculum-env[plots]'"
        ) from error
    return Figure
