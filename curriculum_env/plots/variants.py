"""What variants came to in a run: the figures, without a thought of how they look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.growth import EVENT
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.store.queue import RECHECK, Augmentation
from curriculum_env.store.rows import row_of
from curriculum_env.types import Draw, FloatArray, IntArray, Outcome

WINDOWS, PARTS = 32, 4
EDGES = (np.nextafter(0.0, 1.0), 0.2, 0.4, 0.6, 0.8, 1.0)
BINS = ("0", "to .2", "to .4", "to .6", "to .8", "to 1", "1")
"""None right, some, all: a group of the first or the last kind teaches nothing."""
IN_WORK = "in work"


class Drawn(NamedTuple):
    """Draws in order: their numbers, the mean success of each (NaN where none was graded) and the
    generation of the row, 0 for one of the pool it began with."""

    number_D: IntArray
    success_D: FloatArray
    generation_D: IntArray


@dataclass(frozen=True, slots=True)
class Variants:
    """One run, over windows (`_T`) of as many draws each.

    `seed_T` and `variant_T` are mean successes of the draws of the pool it began with and of
    variants, NaN where there was none. `rows_GT` counts the rows in the pool by generation, at the
    end of each window. `fate` counts the variants asked for by what became of them: in the pool, or
    why not. `mass_PB` is the share of the draws by their group's mean success, in `BINS`, for each
    of `PARTS` parts of the run; `variant_PB` that of the variants among them.
    """

    draw_T: IntArray
    seed_T: FloatArray
    variant_T: FloatArray
    rows_GT: IntArray
    fate: dict[str, int]
    mass_PB: FloatArray
    variant_PB: FloatArray


def variants_of(
    config: CurriculumConfig,
    draws: Sequence[Draw],
    outcomes: Iterable[Outcome],
    events: Iterable[Mapping[str, Any]],
    items: Iterable[Augmentation],
) -> Variants:
    """What variants came to, by what a store holds: its draws by rising number (at least one), its
    outcomes, its events in order and its queue's items."""
    generations, arrivals = _pool(events, draws)
    drawn = _drawn(config, draws, outcomes, generations)
    edges_T = np.linspace(0, len(draws), min(WINDOWS, len(draws)) + 1).astype(np.int64)
    new_D = drawn.generation_D > 0
    mass_PB, variant_PB = _mass(drawn)
    return Variants(
        drawn.number_D[edges_T[1:] - 1],
        _means(np.where(new_D, np.nan, drawn.success_D), edges_T),
        _means(np.where(new_D, drawn.success_D, np.nan), edges_T),
        _composition(arrivals, drawn.number_D[edges_T[1:] - 1]),
        _fate(items),
        mass_PB,
        variant_PB,
    )


# --- reading -----------------------------------------------------------------------------------
def _pool(
    events: Iterable[Mapping[str, Any]], draws: Sequence[Draw]
) -> tuple[dict[str, int], list[tuple[int, int]]]:
    """The generation of each row that was added, and (draw before which, generation) of every
    row."""
    generations: dict[str, int] = {}
    arrivals: list[tuple[int, int]] = []
    time_D, number_D = [draw.time for draw in draws], [draw.number for draw in draws]
    for event in events:
        if event["kind"] == "pool" and not arrivals:
            arrivals += [(0, 0)] * event["size"]
        if event["kind"] != EVENT:
            continue
        place = int(np.searchsorted(time_D, event["time"]))
        number = number_D[min(place, len(draws) - 1)]
        for row in map(row_of, event["rows"]):
            generation = generations.get(row.parent, 0) + 1 if row.parent else 0
            generations[row.uid] = generation
            arrivals.append((number, generation))
    return generations, arrivals


def _drawn(
    config: CurriculumConfig,
    draws: Sequence[Draw],
    outcomes: Iterable[Outcome],
    generations: Mapping[str, int],
) -> Drawn:
    scale, place = RewardScale(config), {draw.number: i for i, draw in enumerate(draws)}
    total_D, count_D = np.zeros(len(draws)), np.zeros(len(draws))
    for outcome in outcomes:
        at = place.get(outcome.draw)
        if at is None or outcome.status != "ok" or outcome.reward is None:
            continue
        success = scale.success(outcome.reward)
        if success is not None:
            total_D[at] += success
            count_D[at] += 1.0
    with np.errstate(invalid="ignore"):
        success_D = total_D / count_D
    generation_D = np.array([generations.get(draw.uid, 0) for draw in draws])
    return Drawn(np.array([draw.number for draw in draws]), success_D, generation_D)


def _fate(items: Iterable[Augmentation]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for item in items:
        if item.kind == RECHECK:
            continue
        if item.state in ("accepted", "inserted"):
            found["in the pool"] += 1
        else:
            found[item.reason or IN_WORK] += 1
    return dict(found.most_common())


# --- summing up --------------------------------------------------------------------------------
def _means(value_D: FloatArray, edges_T: IntArray) -> FloatArray:
    windows = [value_D[a:b][~np.isnan(value_D[a:b])] for a, b in _pairs(edges_T)]
    return np.array([window.mean() if window.size else np.nan for window in windows])


def _pairs(edges_T: IntArray) -> Iterator[tuple[int, int]]:
    return zip(edges_T[:-1].tolist(), edges_T[1:].tolist(), strict=True)


def _composition(arrivals: Sequence[tuple[int, int]], last_T: IntArray) -> IntArray:
    number_N, generation_N = np.array(arrivals, dtype=np.int64).reshape(-1, 2).T
    generations = range(int(generation_N.max(initial=0)) + 1)
    return np.array(
        [
            np.searchsorted(np.sort(number_N[generation_N == g]), last_T, side="right")
            for g in generations
        ]
    )


def _mass(drawn: Drawn) -> tuple[FloatArray, FloatArray]:
    graded_D = ~np.isnan(drawn.success_D)
    part_D = np.arange(len(graded_D)) * PARTS // len(graded_D)
    bin_D = np.digitize(drawn.success_D, EDGES)
    mass_PB, variant_PB = np.zeros((PARTS, len(BINS))), np.zeros((PARTS, len(BINS)))
    new_D = drawn.generation_D > 0
    np.add.at(mass_PB, (part_D[graded_D], bin_D[graded_D]), 1.0)
    new_D = new_D & graded_D
    np.add.at(variant_PB, (part_D[new_D], bin_D[new_D]), 1.0)
    total_P = np.maximum(mass_PB.sum(axis=1, keepdims=True), 1.0)
    return mass_PB / total_P, variant_PB / total_P
