from __future__ import annotations

import math

import numpy as np
import pytest

from curriculum_env.config import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.errors import StoreError
from curriculum_env.estimators import BetaConfig
from curriculum_env.samplers.uniform import UniformConfig
from curriculum_env.sim.replay import (
    BUCKET_ALPHAS,
    Recording,
    believing,
    bucket_ema,
    global_ema,
    log_loss,
    predictions,
    read_recording,
    replay,
    score,
)
from curriculum_env.store import open_store
from curriculum_env.types import Draw, Group, Outcome, Row

ROWS = [Row("a", {}, "d", "1"), Row("b", {}, "d", "2")]


def recording(*groups: tuple[int, list[float]], batch_groups: int = 64) -> Recording:
    graded = [Group(i, row, tuple(success_G)) for i, (row, success_G) in enumerate(groups)]
    return Recording(ROWS, graded, batch_groups)


def test_each_group_is_predicted_before_it_is_learned() -> None:
    found = predictions(recording((0, [1.0] * 8), (0, [1.0] * 8), (1, [0.0])), global_ema(0.5))
    assert found.tolist() == [0.5, 0.75, 0.875]
    found = predictions(recording((0, [1.0]), (1, [1.0]), (0, [0.0])), bucket_ema(0.5))
    assert found.tolist() == [0.5, 0.5, 0.75]


def test_an_estimator_is_replayed_as_the_engine_runs_it() -> None:
    config = BetaConfig(decay=1.0, age_decay=0.5)
    found = predictions(
        recording((0, [1.0] * 8), (0, [1.0] * 8), batch_groups=1), believing(config)
    )
    assert found.tolist() == [0.5, pytest.approx((1 + 0.5 * 8) / (2 + 0.5 * 8))]


def test_scores_by_hand() -> None:
    record = recording((0, [1.0, 0.0]), (1, [0.5]))
    found = score("x", record, np.array([0.25, 0.8]))
    losses = [-math.log(0.25), -math.log(0.75), -0.5 * math.log(0.8) - 0.5 * math.log(0.2)]
    assert found.log_loss == pytest.approx(sum(losses) / 3)
    assert found.brier == pytest.approx((0.75**2 + 0.25**2 + 0.3**2) / 3)
    assert (found.groups, found.rollouts) == (2, 3)
    third, ninth = found.deciles[2], found.deciles[8]
    assert (third.rollouts, third.predicted, third.observed) == (2, 0.25, 0.5)
    assert ninth.rollouts == 1
    assert ninth.error == pytest.approx(0.3)
    assert (found.deciles[0].rollouts, found.deciles[0].error) == (0, 0.0)
    assert found.calibration_error() == pytest.approx(0.3)
    assert found.calibration_error(share=0.5) == pytest.approx(0.25)


def test_a_sure_mistake_costs_no_more_than_one_in_a_thousand() -> None:
    assert log_loss(np.array([0.0, 1.0]), np.array([1.0, 0.0])) == pytest.approx(math.log(1000))


def test_a_store_is_read_in_the_order_of_arrival_and_graded_by_its_settings() -> None:
    store = open_store("memory://")
    store.acquire()
    run = store.start_run({"reward_range": [0.0, 2.0], "batch_groups": 16, "unknown": 1})
    store.append_draws(run, [Draw(i, "ab"[i], 1.0, 0.0, "d", str(i + 1)) for i in range(2)])
    store.record(
        [
            Outcome(0, "a", "0.0", 2.0),
            Outcome(1, "b", "1.0", 1.0),
            Outcome(1, "b", "1.1", None, "error"),
            Outcome(9, "zzz", "9.0", 1.0),
            Outcome(0, "a", "0.1", -1.0),
        ]
    )
    found = read_recording(store)
    assert found.batch_groups == 16
    assert [(row.uid, row.bucket) for row in found.rows] == [("a", ("d", "1")), ("b", ("d", "2"))]
    assert [(group.row, group.success_G) for group in found.groups] == [
        (1, (0.5,)),
        (0, (1.0, 0.0)),
    ]
    told = read_recording(store, [Row("b", {}, features={"size": 1})])
    assert [group.row for group in told.groups] == [0]
    assert told.rows[0].features == {"size": 1}


def test_a_store_without_graded_rollouts_is_refused() -> None:
    with pytest.raises(StoreError, match="holds no graded rollout of the 0 rows"):
        read_recording(open_store("memory://"))


def test_a_real_run_is_replayed_with_the_features_winning() -> None:
    rows = [Row(f"{i:x}", {}, "d", str(i % 4), {"level": i % 4, "size": i % 3}) for i in range(400)]
    rate = {row.uid: 1 / (1 + math.exp(2 * (i % 4) - 3 + i % 3)) for i, row in enumerate(rows)}
    rng, store = np.random.default_rng(0), open_store("memory://")
    config = CurriculumConfig(group_size=8, sampler=UniformConfig())
    with Curriculum(rows, config, store) as curriculum:
        for _ in range(800):
            draw = curriculum.ask()
            passed_G = rng.random(8) < rate[draw.uid]
            store.record(
                [
                    Outcome(draw.number, draw.uid, f"{draw.number}.{i}", float(passed))
                    for i, passed in enumerate(passed_G)
                ]
            )
        scores = replay(read_recording(store, rows))
    assert len(scores) == 5 + len(BUCKET_ALPHAS)
    assert scores[0].name == "irt"
    by_name = {found.name: found for found in scores}
    assert by_name["irt"].log_loss < 0.8 * by_name["beta"].log_loss
    assert by_name["irt"].calibration_error(0.05) < 0.1
    assert {found.rollouts for found in scores} == {6400}
