from __future__ import annotations

from dataclasses import replace

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
def test_living_groups_on_few_tasks_are_not_learning(seed: int) -> None:
    """The easy ladder, where real training measured it: a rule of more than twice the rho ends
    below uniform, having redrawn a fraction of the tasks; the same worth times novelty, in
    proportion, ends above (by the true pass rates, so that no belief is to blame)."""
    ladder = LADDERS["ladder-easy"]
    sampler = {
        "type": "custom",
        "class_path": "curriculum_env.sim.oracle:Oracle",
        "args": {"worth": "survival"},
    }
    greedy = {"sampler": sampler, "novelty": 1.0, "pick": "top", "cooldown": 128, "explore": 0.0}
    novel = {"sampler": sampler, "novelty": 0.8, "pick": "proportional", "explore": 0.0}
    uniform, few, many = (
        play(found.name, found.config, ladder, seed)
        for found in (entrants()["uniform"], entrant("few", greedy), entrant("many", novel))
    )
    assert few.rho > 2.0 * uniform.rho
    assert few.distinct < uniform.distinct / 5
    assert few.final < uniform.final < many.final
    assert many.rho < few.rho
