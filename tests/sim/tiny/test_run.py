from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arithmetic_curriculum.sums import heldout_sums, sum_rows

from curriculum_env import Curriculum, CurriculumConfig, Row
from curriculum_env.errors import RefillError
from curriculum_env.sim.replay import read_recording
from curriculum_env.sim.tiny.curve import Point, Training
from curriculum_env.sim.tiny.model import TinyPolicy
from curriculum_env.sim.tiny.run import Exam, Loop, Trainer, train
from curriculum_env.sim.tiny.warm import schooled
from curriculum_env.store import open_store
from tests.sim.tiny.schools import QUICK

LOOP = Loop(budget=512, groups=4, group_size=8, rate=1e-3, evaluate_every=128)
UNIFORM = CurriculumConfig.model_validate({"sampler": {"type": "uniform"}})


@pytest.fixture(scope="module")
def school_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("school")


@pytest.fixture
def policy(school_folder: Path) -> TinyPolicy:
    return schooled(QUICK, school_folder)


@pytest.fixture(scope="module")
def pool() -> list[Row]:
    return list(sum_rows(80, [1.0], 0))


@pytest.fixture(scope="module")
def exam(pool: list[Row]) -> Exam:
    return Exam(pool)


def trained(policy: TinyPolicy, pool: list[Row], exam: Exam, **changes: Any) -> Training:
    loop = replace(LOOP, **changes)
    return train("uniform", UNIFORM, "small", pool, exam, policy, loop)


def test_training_raises_the_accuracy(policy: TinyPolicy, pool: list[Row], exam: Exam) -> None:
    found = trained(policy, pool, exam, budget=6144, groups=16, rate=5e-4, evaluate_every=2048)
    first, last = found.curve[0], found.curve[-1]
    assert 0.1 < first.accuracy < 0.7
    assert last.accuracy > first.accuracy + 0.05


def test_the_rungs_are_the_lengths_of_the_longer_operand(policy: TinyPolicy) -> None:
    found = Exam(heldout_sums(3)).take(policy)
    assert set(found) == {"", "1", "2", "3"}
    weighed = 16 * found["1"] + 60 * found["2"] + 100 * found["3"]
    assert found[""] == pytest.approx(weighed / 176)


def test_rollouts_steps_and_points_are_counted(
    policy: TinyPolicy, pool: list[Row], exam: Exam
) -> None:
    found = trained(policy, pool, exam)
    assert [point.rollouts for point in found.curve] == [0, 128, 256, 384, 512]
    assert [point.steps for point in found.curve] == [0, 4, 8, 12, 16]
    seconds = [point.seconds for point in found.curve]
    assert seconds == sorted(seconds)
    assert seconds[-1] > 0
    assert 0.0 <= found.wasted <= 1.0
    assert found.rho == pytest.approx(1.0 - found.wasted)


def test_the_same_seed_trains_the_same(school_folder: Path, pool: list[Row], exam: Exam) -> None:
    runs = [trained(schooled(QUICK, school_folder), pool, exam, seed=s) for s in (3, 3, 4)]
    curves = [[(point.rollouts, point.accuracy) for point in run.curve] for run in runs]
    assert curves[0] == curves[1] != curves[2]


@pytest.mark.parametrize("scaled", [False, True])
def test_with_dynamic_sampling_steps_train_on_living_groups_and_pay_for_the_others(
    policy: TinyPolicy, pool: list[Row], monkeypatch: pytest.MonkeyPatch, scaled: bool
) -> None:
    batches: list[Any] = []
    with Curriculum(pool, UNIFORM.model_copy(update={"group_size": 8})) as curriculum:
        trainer = Trainer(policy, curriculum, replace(LOOP, dynamic=True, scaled=scaled))
        monkeypatch.setattr(trainer._learner, "step", lambda *given: batches.append(given))
        spent = [0]
        for _ in range(8):
            trainer.step()
            spent.append(trainer.rollouts)
    for (batch, scale), rollouts in zip(batches, np.diff(spent), strict=True):
        assert scale == pytest.approx(max(rollouts / 32, 1.0) ** 0.5 if scaled else 1.0)
        right = batch.success.sum(1)
        assert len(right) == 4
        assert ((right > 0) & (right < 8)).all()
    assert trainer.rollouts > 8 * 4 * 8
    assert trainer.wasted >= trainer.rollouts - 8 * 4 * 8 - 4 * 8


def test_a_pool_without_a_living_group_ends_the_run(policy: TinyPolicy, exam: Exam) -> None:
    dead = list(sum_rows(60, [0.0, 0.0, 0.0, 0.0, 1.0], 0))
    loop = replace(LOOP, dynamic=True, rounds=2.0)
    found = train("uniform", UNIFORM, "dead", dead, exam, policy, loop)
    assert len(found.curve) == 2
    assert found.curve[-1].steps == 0
    assert found.curve[-1].rollouts == 2 * 4 * 8
    with Curriculum(dead, UNIFORM) as curriculum, pytest.raises(RefillError, match="0 of 8"):
        Trainer(policy, curriculum, loop).step()


def test_the_next_draw_has_seen_the_rewards_of_the_last(
    policy: TinyPolicy, pool: list[Row], tmp_path: Path
) -> None:
    for store in (None, f"sqlite:///{tmp_path}/run.db"):
        with Curriculum(pool, UNIFORM.model_copy(update={"group_size": 8}), store) as curriculum:
            trainer = Trainer(policy, curriculum, LOOP)
            for step in range(1, 4):
                trainer.step()
                assert curriculum.metrics()["groups"] == 4 * step


def test_a_recorded_run_can_be_replayed(
    policy: TinyPolicy, pool: list[Row], exam: Exam, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/run.db"
    train("uniform", UNIFORM, "small", pool, exam, policy, LOOP, url)
    store = open_store(url)
    recording = read_recording(store, pool)
    store.close()
    assert len(recording.groups) == 64
    assert {len(group.success_G) for group in recording.groups} == {8}
    assert recording.batch_groups == 4
    assert recording.rows[recording.groups[0].row].features["lengths"] == "1+1"


@pytest.fixture
def training() -> Training:
    points = tuple(Point(100 * i, i, i / 2, 0.1 * i, 0.05 * i) for i in range(6))
    return Training("mopps", "even", 3, points, {"1": 0.6}, 0.4, 9, 7.5, 0.6, 0)


def test_a_run_survives_json_and_is_judged_on_each_axis(training: Training) -> None:
    kept = {"settings": {}, **json.loads(json.dumps(asdict(training)))}
    assert Training.from_json(kept) == training
    assert training.final == pytest.approx(0.4)
    assert training.play().rollouts_to(0.25) == pytest.approx(250)
    assert training.play("steps").rollouts_to(0.25) == pytest.approx(2.5)
    assert training.play("seconds").rollouts_to(0.25) == pytest.approx(1.25)
