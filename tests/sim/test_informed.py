from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from curriculum_env import CurriculumConfig
from curriculum_env.engine import Curriculum
from curriculum_env.sim import SETTINGS, World
from curriculum_env.sim.informed import Informed
from curriculum_env.sim.replay import log_loss
from curriculum_env.types import FloatArray


def follow(name: str, groups: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What the informed, and one who knows the true pass rates, predict of each group drawn evenly,
    and the mean reward it got."""
    setting = replace(SETTINGS[name], tasks=400)
    world = World(setting, 0)
    informed, seen = Informed(world), []
    config = CurriculumConfig(group_size=8, sampler={"type": "uniform"}, batch_groups=setting.batch)
    with Curriculum(world.rows, config) as curriculum:
        for _ in range(groups):
            rolled = world.roll(curriculum.ask())
            accepted = setting.false_accept
            truth = accepted + (1.0 - accepted) * world.pass_rate(rolled.row)
            seen.append((informed.predict(rolled.row), truth, np.mean(rolled.reward_G)))
            informed.learn(rolled.row, rolled.reward_G)
            for outcome in rolled.outcomes:
                curriculum.tell(outcome)
            world.learn(rolled)
    predicted_B, truth_B, reward_B = np.array(seen).T
    return predicted_B, truth_B, reward_B


@pytest.mark.parametrize("name", ["features", "no-features", "noisy-checker"])
def test_the_informed_are_calibrated_and_the_truth_alone_does_better(name: str) -> None:
    predicted_B, truth_B, reward_B = follow(name, 1000)
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.0)):
        inside = (predicted_B >= low) & (predicted_B < high)
        if inside.sum() > 100:
            doubt = np.std(predicted_B[inside] - reward_B[inside]) / inside.sum() ** 0.5
            gap = abs(predicted_B[inside].mean() - reward_B[inside].mean())
            assert gap < 4.0 * doubt
    informed = float(log_loss(predicted_B, reward_B).mean())
    assert float(log_loss(truth_B, reward_B).mean()) < informed
    assert informed < float(log_loss(np.full(1000, reward_B.mean()), reward_B).mean())


def test_a_group_settles_what_kind_of_task_it_is() -> None:
    world = World(replace(SETTINGS["features"], tasks=50), 0)
    informed = Informed(world)
    dead = int(np.flatnonzero(world.tasks.dead_N)[0])
    uid = world.rows[dead].uid
    with Curriculum(world.rows, CurriculumConfig(group_size=8)) as curriculum:
        draw = replace(curriculum.ask(), uid=uid)
    before = informed.predict(dead)
    for _ in range(3):
        informed.learn(dead, world.roll(draw).reward_G)
    assert informed.predict(dead) < min(0.05, before)
