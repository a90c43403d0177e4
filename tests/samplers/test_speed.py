from __future__ import annotations

import json

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig, Draw, Outcome
from curriculum_env.samplers.speed import Speed, SpeedConfig
from curriculum_env.testing.samplers import make_rows, make_view
from curriculum_env.types import Group

SETTINGS = {"group_size": 8, "sampler": {"type": "speed"}}


def play(curriculum: Curriculum, draw: Draw, passes: int) -> None:
    for i in range(draw.rollouts):
        curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}.{i}", float(i < passes)))


def test_screen_with_four_and_go_on_with_twenty_where_they_differ() -> None:
    counts = {"estimator": {"type": "beta"}}
    config = CurriculumConfig.model_validate({**SETTINGS, **counts})
    with Curriculum(make_rows(300), config) as curriculum:
        for passes in (0, 4):
            draw = curriculum.ask()
            assert (draw.rollouts, draw.continues) == (4, None)
            play(curriculum, draw, passes)
        mixed = curriculum.ask()
        play(curriculum, mixed, 1)
        more = curriculum.ask()
        assert (more.uid, more.rollouts, more.continues) == (mixed.uid, 20, mixed.number)
        assert more.propensity == 1.0
        play(curriculum, more, 7)
        after = curriculum.ask()
        assert (after.rollouts, after.continues) == (4, None)
        metrics = curriculum.metrics()
        assert metrics["screened"] == 3
        assert metrics["passed_screening"] == pytest.approx(1 / 3)
        row = curriculum.table()["uid"].tolist().index(mixed.uid)
        assert curriculum.table()["evidence"][row] > 20


def test_screenings_go_on_while_a_screening_is_out() -> None:
    with Curriculum(make_rows(300), CurriculumConfig.model_validate(SETTINGS)) as curriculum:
        draws = [curriculum.ask() for _ in range(6)]
        assert len({draw.uid for draw in draws}) == 6
        for draw in draws:
            play(curriculum, draw, 2)
        continued = [curriculum.ask() for _ in range(6)]
        assert [draw.continues for draw in continued] == [draw.number for draw in draws]


def test_it_saves_rollouts_on_a_pool_with_dead_tasks() -> None:
    """One task in five lives, at .5: a group that trains costs its 20 rollouts and 5 screenings of
    4 over S_4(.5) = .875, 42.9 in all, where groups of 24 drawn at random cost 120."""
    rates, rng = np.array([0.0, 0.0, 0.5, 1.0, 0.0]), np.random.default_rng(0)
    rollouts = trained = 0
    with Curriculum(make_rows(2000), CurriculumConfig.model_validate(SETTINGS)) as curriculum:
        for _ in range(1200):
            draw = curriculum.ask()
            rate = rates[int(draw.level)]
            play(curriculum, draw, int(rng.binomial(draw.rollouts, rate)))
            rollouts += draw.rollouts
            trained += draw.continues is not None
    assert trained > 100
    assert rollouts / trained == pytest.approx(20 + 4 * 5 / 0.875, rel=0.1)
    assert rollouts / trained < 0.4 * 24 * 5


def test_its_state_survives_json() -> None:
    one, other = Speed(SpeedConfig(screen=2, more=6)), Speed(SpeedConfig(screen=2, more=6))
    for each in (one, other):
        each.add(make_rows(30))
    one.observe(Group(5, 7, (1.0, 0.0)))
    one.observe(Group(6, 8, (1.0, 1.0)))
    other.load_state_dict(json.loads(json.dumps(one.state_dict())))
    assert other.followups() == one.followups() == [(7, 6, 5)]
    assert other.followups() == []
    for each in (one, other):
        each.observe(Group(9, 7, (1.0, 0.0, 1.0, 0.0, 1.0, 1.0)))
        assert each.followups() == []
        assert each.metrics() == {"screened": 2, "passed_screening": 0.5}


def test_a_continuation_that_never_came_back_is_forgotten_at_the_next_screening() -> None:
    speed = Speed()
    speed.add(make_rows(1))
    speed.observe(Group(0, 0, (1.0, 0.0, 0.0, 0.0)))
    assert len(speed.followups()) == 1
    assert speed.select(1, make_view(1)).rollouts_K == [4]
    speed.observe(Group(2, 0, (1.0, 0.0, 0.0, 0.0)))
    assert len(speed.followups()) == 1
