from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curriculum_env.config import CurriculumConfig
from curriculum_env.plots import Variants, draw_variants, variants_of
from curriculum_env.store.queue import RECHECK, Asked, Augmentation
from curriculum_env.store.rows import plain
from curriculum_env.types import Draw, Outcome, Row

SEED, CHILD, GRANDCHILD = Row("s", {}), Row("c", {}, parent="s"), Row("g", {}, parent="c")


def draws(*uids: str) -> list[Draw]:
    return [Draw(10 + i, uid, 1.0, float(i)) for i, uid in enumerate(uids)]


def outcomes(draw: Draw, *rewards: float) -> list[Outcome]:
    return [Outcome(draw.number, draw.uid, f"{draw.number}-{i}", r) for i, r in enumerate(rewards)]


def rows_event(time: float, *rows: Row) -> dict[str, Any]:
    return {"kind": "rows", "time": time, "rows": [plain(row) for row in rows]}


def item(number: int, state: Any, reason: str = "", kind: str = "numbers") -> Augmentation:
    return Augmentation(number, Asked(str(number), kind, 0, SEED), state, reason)


DRAWS = draws("s", "c", "g", "s", "c", "s", "s", "g")
REWARDS = [(0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (), (0.0, 0.5), (1.0, -1.0), (0.0, 0.0), (1.0, 0.5)]
EVENTS = [
    {"kind": "pool", "time": 0.0, "size": 3},
    rows_event(0.5, CHILD),
    rows_event(1.5, GRANDCHILD, Row("n", {})),
    {"kind": "pool", "time": 5.0, "size": 6},
]
ITEMS = [
    item(1, "inserted"),
    item(2, "accepted"),
    item(3, "discarded", "unsolvable"),
    item(4, "discarded", "unsolvable"),
    item(5, "quarantined", "never_solved"),
    item(6, "asked"),
    item(7, "discarded", "unchanged", RECHECK),
]


@pytest.fixture
def found() -> Variants:
    told = [o for d, rewards in zip(DRAWS, REWARDS, strict=True) for o in outcomes(d, *rewards)]
    told.append(Outcome(10, "s", "failed", None, "error"))
    told.append(Outcome(99, "s", "of another run", 1.0))
    return variants_of(CurriculumConfig(), DRAWS, told, EVENTS, ITEMS)


def test_success_is_told_apart_by_where_a_row_came_from(found: Variants) -> None:
    nan = np.nan
    np.testing.assert_array_equal(found.draw_T, range(10, 18))
    np.testing.assert_allclose(found.seed_T, [0.5, nan, nan, nan, nan, 0.5, 0.0, nan])
    np.testing.assert_allclose(found.variant_T, [nan, 1.0, 0.0, nan, 0.25, nan, nan, 0.75])


def test_the_pool_grows_by_generations(found: Variants) -> None:
    assert found.rows_GT.tolist() == [
        [3, 3, 4, 4, 4, 4, 4, 4],
        [0, 1, 1, 1, 1, 1, 1, 1],
        [0, 0, 1, 1, 1, 1, 1, 1],
    ]


def test_every_variant_asked_for_has_one_fate(found: Variants) -> None:
    fate = {"in the pool": 2, "unsolvable": 2, "never_solved": 1, "in work": 1}
    assert found.fate == fate


def test_the_mass_of_a_part_is_one_and_that_of_variants_within_it(found: Variants) -> None:
    assert found.mass_PB.tolist() == [
        [0, 0, 0, 0.5, 0, 0, 0.5],
        [1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0.5, 0.5, 0, 0, 0],
        [0.5, 0, 0, 0, 0.5, 0, 0],
    ]
    assert found.variant_PB.tolist() == [
        [0, 0, 0, 0, 0, 0, 0.5],
        [1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0.5, 0, 0, 0, 0],
        [0, 0, 0, 0, 0.5, 0, 0],
    ]


@pytest.mark.parametrize(("suffix", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_it_is_drawn(found: Variants, tmp_path: Path, suffix: str, begins: bytes) -> None:
    path = tmp_path / "new" / f"variants.{suffix}"
    draw_variants(found, path)
    assert path.read_bytes().startswith(begins)


def test_no_legend_lies_on_the_rows_or_the_bars(found: Variants) -> None:
    from curriculum_env.plots.draw import figure_class
    from curriculum_env.plots.draw_variants import draw_panels

    figure = figure_class()(figsize=(10.0, 7.0), layout="constrained")
    draw_panels(figure, found)
    figure.draw_without_rendering()
    _, _, pool, mass = figure.axes
    assert pool.get_legend().get_window_extent().x0 >= pool.get_window_extent().x1
    bottom = mass.get_legend().get_window_extent().y0
    assert all(bar.get_window_extent().y1 < bottom for bar in mass.patches)


def test_one_draw_and_no_outcome_can_be_drawn(tmp_path: Path) -> None:
    lone = variants_of(CurriculumConfig(), DRAWS[:1], [], [], [])
    assert lone.rows_GT.tolist() == [[0]]
    draw_variants(lone, tmp_path / "lone.png")
