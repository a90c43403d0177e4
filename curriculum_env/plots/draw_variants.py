"""Draws what variants came to, in four panels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from curriculum_env.plots.draw import figure_class
from curriculum_env.plots.variants import BINS, PARTS, Variants

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SEED, _VARIANT, _REFUSED = "#222222", "#c0392b", "#b9770e"
_GENERATIONS = ("#222222", "#c0392b", "#d9725f", "#e8a398", "#f2cdc6", "#f8e4e0")
_TURNS = ("first", "second", "third", "last")


def draw_variants(found: Variants, path: Path) -> None:
    """Draw into a file; its suffix (.png, .svg, .pdf) is the format.

    Raises:
        ConfigError: matplotlib is not installed.
    """
    figure = figure_class()(figsize=(10.0, 7.0), layout="constrained")
    draw_panels(figure, found)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def draw_panels(figure: Figure, found: Variants) -> None:
    """Draw into a figure."""
    (reward, fate), (pool, mass) = figure.subplots(2, 2)
    _reward(reward, found)
    _fate(fate, found)
    _pool(pool, found)
    _mass(mass, found)
    for axis in (reward, pool):
        axis.set_xlabel("draws")
        axis.grid(alpha=0.2)


def _reward(axis: Axes, found: Variants) -> None:
    axis.plot(found.draw_T, found.seed_T, color=_SEED, label="the pool it began with")
    axis.plot(found.draw_T, found.variant_T, color=_VARIANT, label="variants")
    axis.set(title="mean success of what was drawn", ylim=(0.0, 1.0))
    axis.legend(fontsize="small", frameon=False)


def _fate(axis: Axes, found: Variants) -> None:
    names = list(found.fate)[::-1]
    counts = [found.fate[name] for name in names]
    colours = [_VARIANT if name == "in the pool" else _REFUSED for name in names]
    bars = axis.barh([name.replace("_", " ") for name in names], counts, color=colours)
    axis.bar_label(bars, fontsize="small", padding=2)
    axis.set_title("variants asked for, and why not in the pool")
    axis.margins(x=0.15)


def _pool(axis: Axes, found: Variants) -> None:
    last = len(_GENERATIONS) - 1
    head, tail_T = found.rows_GT[:last], found.rows_GT[last:].sum(axis=0)
    rows = [*head, tail_T] if len(found.rows_GT) > last else list(head)
    labels = ["0", *map(str, range(1, len(rows)))]
    if len(found.rows_GT) > len(_GENERATIONS):
        labels[-1] = f"{last} and more"
    axis.stackplot(found.draw_T, *rows, labels=labels, colors=_GENERATIONS)
    axis.set_title("rows in the pool, by generation")
    axis.legend(
        fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), reverse=True
    )  # beside the rows, which fill the panel


def _mass(axis: Axes, found: Variants) -> None:
    """Bars for the parts of the run side by side; of each, the variants' share darker."""
    width = 0.9 / PARTS
    for part, turn in enumerate(_TURNS):
        left_B = np.arange(len(BINS)) + 0.05 + part * width
        shade = 0.25 + 0.75 * part / (PARTS - 1)
        axis.bar(left_B, found.mass_PB[part], width, align="edge", color=_SEED, alpha=shade / 2)
        axis.bar(
            left_B, found.variant_PB[part], width, align="edge", color=_VARIANT, alpha=shade,
            label=f"{turn} quarter",
        )  # fmt: skip
    axis.set_xticks(np.arange(len(BINS)) + 0.5, BINS)
    axis.set(title="where the draws lie (variants red)", xlabel="success of the group")
    axis.set_ylabel("share of the draws")
    axis.margins(y=0.3)
    axis.legend(fontsize="small", frameon=False, loc="upper center", ncols=2)
