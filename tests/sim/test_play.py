from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from curriculum_env import CurriculumConfig
from curriculum_env.sim import LADDERS, SETTINGS, Play, entrants, play
from curriculum_env.sim.entrants import Entrant, entrant

TINY = replace(SETTINGS["features"], tasks=300, heldout=200, budget=2048)


def run(curve: list[tuple[int, float]]) -> Play:
    points = tuple((rollouts, accuracy, accuracy / 2) for rollouts, accuracy in curve)
    return Play("a", "s", 0, points, 0.5, 1, 1.0, 0.5, 1.0, 0)


def test_rollouts_to_a_target_are_interpolated_to_its_first_crossing() -> None:
    found = run([(0, 0.5), (100, 0.6), (200, 0.8), (300, 0.7), (400, 0.9)])
    assert found.rollouts_to(0.7) == pytest.approx(150.0)
    assert found.rollouts_to(0.4) == 0.0
    assert found.rollouts_to(0.95) is None
    assert found.area == pytest.approx((55 + 70 + 75 + 80) / 400)
    assert found.final == pytest.approx(0.8)
    assert found.worst_domain == pytest.approx(0.4)


def test_a_run_is_the_same_again() -> None:
    config = CurriculumConfig()
    one, again = (play("default", config, TINY, 5) for _ in range(2))
    assert replace(one, draw_us=0.0) == replace(again, draw_us=0.0)
    assert one.curve != play("default", config, TINY, 6).curve
    assert one.curve[-1][0] <= TINY.budget + TINY.group_size
    assert one.curve[-1][1] > one.curve[0][1]


@pytest.mark.parametrize("found", entrants().values(), ids=list(entrants()))
def test_everyone_can_play(found: Entrant) -> None:
    measured = play(found.name, found.config, TINY, 0)
    assert 0.0 <= measured.rho <= 1.0
    assert 1 <= measured.effective <= measured.distinct + 1e-6 <= TINY.tasks + 1e-6
    assert measured.draw_us > 0.0


def test_screening_is_paid_by_the_rollout() -> None:
    measured = play("speed", entrants()["speed"].config, TINY, 0)
    assert TINY.budget <= measured.curve[-1][0] + 8 * TINY.batch * TINY.group_size
    assert measured.curve[-1][0] <= TINY.budget + 24


@pytest.mark.parametrize("seed", [0, 1])
def test_living_groups_are_not_learning(seed: int) -> None:
    """The even ladder, where real training measured it (`gain-top` in docs/benchmarks.md): the
    default's own scores, the highest first whatever their bucket, have the most living groups and
    end below uniform drawing; with buckets in proportion they have fewer, of more tasks, and end
    above."""
    ladder = LADDERS["ladder-even"]
    uniform, top, default = (
        play(found.name, found.config, ladder, seed)
        for found in (entrants()["uniform"], entrant("top", {"pick": "top"}), entrants()["default"])
    )
    assert top.rho > 1.5 * uniform.rho
    assert uniform.rho < default.rho < top.rho
    assert top.distinct < default.distinct
    assert top.final < uniform.final < default.final
    assert (default.rollouts_to(uniform.final) or np.inf) < 0.8 * ladder.budget
