from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum, load_state, save_state
from curriculum_env.estimators import AnchorsConfig, EstimatorConfig, Irt, IrtConfig
from curriculum_env.types import Outcome, Row

ROWS = [Row(f"{i:x}", {}, "d", str(i % 4), {"size": i % 5}) for i in range(600)]
SHARED = [AnchorsConfig(), IrtConfig()]


def opened(estimator: EstimatorConfig, rows: list[Row] = ROWS) -> Curriculum:
    return Curriculum(rows, CurriculumConfig(group_size=4, batch_groups=8, estimator=estimator))


def train(curriculum: Curriculum, draws: int, *, outage: bool = False) -> list[str]:
    drawn = []
    for _ in range(draws):
        draw = curriculum.ask()
        drawn.append(draw.uid)
        chance = np.random.default_rng(draw.number).random(4)
        rate = 0.0 if outage else 0.9 - 0.2 * int(draw.level)
        for i, passed in enumerate(chance < rate):
            curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}.{i}", float(passed)))
    return drawn


@pytest.mark.parametrize("estimator", SHARED, ids=lambda config: config.type)
def test_shared_beliefs_resume_exactly_in_a_reordered_pool(
    estimator: EstimatorConfig, tmp_path: Path
) -> None:
    with opened(estimator) as first, opened(estimator, ROWS[::-1]) as second:
        train(first, 100)
        save_state(tmp_path, first.state_dict())
        second.load_state_dict(load_state(tmp_path))
        assert np.array_equal(second.estimator.mean()[::-1], first.estimator.mean())


@pytest.mark.parametrize("estimator", SHARED, ids=lambda config: config.type)
def test_an_outage_is_taken_back_from_all_rows(estimator: EstimatorConfig) -> None:
    with opened(estimator) as hit, opened(estimator) as spared:
        train(hit, 120)
        train(spared, 120)
        train(hit, 60, outage=True)
        assert hit.metrics()["outages"] == 1
        assert hit.estimator.mean() == pytest.approx(spared.estimator.mean(), abs=0.03)


def test_a_row_costs_at_most_a_hundred_bytes() -> None:
    estimator = Irt()
    estimator.add(ROWS)
    columns = sum(getattr(estimator, name).nbytes for name in estimator.COLUMNS)
    assert columns + estimator.slots_N.nbytes <= 100 * len(ROWS)
