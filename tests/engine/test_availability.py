from __future__ import annotations

from typing import Any

import numpy as np

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.engine.availability import Availability
from tests.engine.helpers import curriculum, outcomes, rows


def test_novelty_comes_back_to_the_last_bit() -> None:
    visits = list(range(200))
    seen = Availability(CurriculumConfig(cooldown=0, novelty=0.8))
    seen.add(len(visits))
    draw = 0
    for row, count in enumerate(visits):
        for _ in range(count):
            seen.take(row, draw, lease=False)
            draw += 1
    again = Availability(CurriculumConfig(cooldown=0, novelty=0.8))
    again.add(len(visits))
    again.restore(seen.visits_N.copy(), seen.last_draw_N.copy(), draw)
    assert np.array_equal(again.novelty_N, seen.novelty_N)


def grown(state: bool) -> list[str]:
    """What is drawn after a pool with rows cooling and one still leased has grown."""
    settings: dict[str, Any] = {"refresh": 1, "lease_seconds": None}
    engine = curriculum(64, **settings)
    leased = engine.ask()
    play(engine, 40)
    engine.add(rows(320)[64:])
    for outcome in outcomes(leased, [1.0, 0.0] * 4):
        engine.tell(outcome)
    if state:
        saved, engine = engine.state_dict(), curriculum(320, **settings)
        engine.load_state_dict(saved)
    drawn = play(engine, 1000)
    assert engine._availability.cooldown == 20
    assert engine.table()["visits"][int(leased.uid, 16)] > 1, "it came back"
    return drawn


def play(engine: Curriculum, draws: int) -> list[str]:
    drawn = []
    for _ in range(draws):
        draw = engine.ask()
        drawn.append(draw.uid)
        for outcome in outcomes(draw, [1.0, 0.0] * 4):
            engine.tell(outcome)
    return drawn


def test_a_pool_that_grows_cools_longer_loses_no_row_and_resumes_exactly() -> None:
    assert grown(state=False) == grown(state=True)


def test_nothing_drawn_is_all_novel() -> None:
    seen = Availability(CurriculumConfig(cooldown=0, novelty=0.8))
    seen.add(3)
    seen.restore(np.zeros(3, np.int64), np.full(3, -1), 0)
    assert seen.novelty_N.tolist() == [1.0, 1.0, 1.0]
