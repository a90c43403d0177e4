from __future__ import annotations

import json

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.samplers.controller import Controller, ControllerConfig
from curriculum_env.testing.samplers import make_rows


def controller() -> Controller:
    return Controller(ControllerConfig(learning_rate=0.5, sigma=0.3), 1.0, 1.0)


def test_steps_by_hand() -> None:
    made = controller()
    assert made.betas == pytest.approx((1.0, 1.0))
    made.heldout(0.50)
    made.act(np.random.default_rng(0))
    noise = np.random.default_rng(0).standard_normal(2)
    assert made.betas == pytest.approx(np.exp(0.3 * noise).tolist())
    made.heldout(0.52)  # the first reward, .02, becomes the mean: no surprise, no step
    assert made.theta.tolist() == [0.0, 0.0]
    made.heldout(0.56)  # reward .04, surprise .02, deviation .02: advantage 1
    assert made.theta == pytest.approx(0.5 * 1.0 * 0.3 * noise)
    made.heldout(0.56)  # mean .022, reward 0: surprise -.022, variance .9*.02^2 + .1*.022^2
    advantage = -0.022 / np.sqrt(0.9 * 0.02**2 + 0.1 * 0.022**2)
    assert made.theta == pytest.approx((0.15 + 0.15 * advantage) * noise)


def test_an_accuracy_that_stands_still_teaches_nothing() -> None:
    made = controller()
    for _ in range(5):
        made.act(np.random.default_rng(0))
        made.heldout(0.5)
    assert made.theta.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_the_weights_under_which_accuracy_rises(seed: int) -> None:
    """Accuracy rises by .01 at best, less the further log beta is from (log .25, log 4)."""
    made = Controller(ControllerConfig(), 1.0, 1.0)
    rng, best, thetas = np.random.default_rng(seed), np.log([0.25, 4.0]), []
    accuracy = 0.3
    made.heldout(accuracy)
    for _ in range(400):
        made.act(rng)
        distance = float(((np.log(made.betas) - best) ** 2).sum())
        accuracy += 0.01 - 0.002 * distance + 0.001 * float(rng.standard_normal())
        made.heldout(accuracy)
        thetas.append(made.theta)
    assert np.mean(thetas[200:], axis=0) == pytest.approx(best, abs=0.3)


def test_its_state_survives_json() -> None:
    made, other = controller(), controller()
    for i, accuracy in enumerate([0.1, 0.2, 0.15]):
        made.act(np.random.default_rng(i))
        made.heldout(accuracy)
    other.load_state_dict(json.loads(json.dumps(made.state_dict())))
    for each in (made, other):
        assert each.due
        each.act(np.random.default_rng(9))
        each.heldout(0.3)
    assert made.betas == other.betas


def test_through_the_engine() -> None:
    sampler = {"type": "bucket-bandit", "controller": {}}
    config = CurriculumConfig.model_validate({"group_size": 4, "refresh": 1, "sampler": sampler})
    with Curriculum(make_rows(200), config) as curriculum:
        tried = set()
        for accuracy in (0.1, 0.3, 0.2, 0.4):
            curriculum.tell_heldout(accuracy)
            for _ in range(3):
                curriculum.ask()
            tried.add(curriculum.metrics()["beta1"])
        assert len(tried) == 4
        before = curriculum.metrics()["beta1"]
        curriculum.ask()
        assert curriculum.metrics()["beta1"] == before
