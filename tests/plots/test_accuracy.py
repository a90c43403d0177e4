from __future__ import annotations

import sys
from pathlib import Path

import pytest

from curriculum_env.errors import ConfigError
from curriculum_env.plots import accuracy_panels, draw_accuracy
from curriculum_env.sim import Play
from curriculum_env.sim.summary import Standings


def run(entrant: str, setting: str, seed: int, slope: float) -> Play:
    curve = tuple((1000 * i, slope * i, slope * i) for i in range(5))
    return Play(entrant, setting, seed, curve, 0.5, 10, 8.0, 0.4, 2.0, 0)


SLOPES = {"uniform": 0.1, "default": 0.2, "best": 0.19, "second": 0.15, "third": 0.12, "last": 0.05}
STANDINGS = Standings(
    run(entrant, setting, seed, slope + 0.001 * seed)
    for setting in ("one", "two")
    for entrant, slope in SLOPES.items()
    for seed in (0, 2)
)


def test_a_panel_shows_ours_uniform_and_the_best_others() -> None:
    panels = accuracy_panels(STANDINGS, best=2)
    assert [panel.setting for panel in panels] == ["one", "two"]
    assert [c.entrant for c in panels[0].curves] == ["default", "uniform", "best", "second"]
    ours = panels[0].curves[0]
    assert panels[0].rollouts_T[-1] == 4000.0
    assert (ours.low_T[-1], ours.accuracy_T[-1], ours.high_T[-1]) == pytest.approx(
        (0.8, 0.804, 0.808)
    )
    assert ours.accuracy_T[0] == 0.0


def test_named_entrants_are_shown_instead() -> None:
    shown = accuracy_panels(STANDINGS, named=["last", "absent"])[0].curves
    assert [curve.entrant for curve in shown] == ["default", "uniform", "last"]


@pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_suffix_is_the_format(tmp_path: Path, suffix: str, begins: bytes) -> None:
    path = tmp_path / "new" / f"plot.{suffix}"
    draw_accuracy(accuracy_panels(STANDINGS), path)
    assert path.read_bytes().startswith(begins)


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigError, match=r"pip install 'curriculum-env\[plots\]'"):
        draw_accuracy(accuracy_panels(STANDINGS), tmp_path / "plot.png")
