from __future__ import annotations

import numpy as np

from curriculum_env import CurriculumConfig
from curriculum_env.engine.availability import Availability


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


def test_nothing_drawn_is_all_novel() -> None:
    seen = Availability(CurriculumConfig(cooldown=0, novelty=0.8))
    seen.add(3)
    seen.restore(np.zeros(3, np.int64), np.full(3, -1), 0)
    assert seen.novelty_N.tolist() == [1.0, 1.0, 1.0]
