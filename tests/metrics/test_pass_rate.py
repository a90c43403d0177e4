from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig, Row
from curriculum_env.engine import load_state, save_state
from curriculum_env.metrics import Frame, PoolPassRate
from curriculum_env.sim.setting import SETTINGS
from curriculum_env.sim.world import World
from curriculum_env.types import FloatArray
from tests.engine.helpers import outcomes

SIZE = 200


def test_a_probe_stands_for_the_rows_within_reach() -> None:
    pool = PoolPassRate()
    pool.add(4)
    pool.observe(0, 1, [1.0, 1.0])  # no probe
    pool.observe(1, 2, [0.0, 1.0])
    frame = pool.frame(np.array([True, False, False, True]))
    assert frame == Frame(0.5, 0.5 * 0.75)
    pool.expect(2, frame)
    pool.observe(2, 3, [0.0, 0.0, 1.0, 0.0])
    assert pool.rate == 0.5 * 0.25 + 0.5 * 0.75
    assert pool.probes == 1


def test_rows_out_of_reach_without_a_group_count_as_the_others() -> None:
    pool = PoolPassRate()
    pool.add(4)
    assert pool.frame(np.array([False, True, True, True])) == Frame(1.0, 0.0)
    pool.observe(0, 1, [0.5])
    assert pool.frame(np.array([False, False, True, True])) == Frame(0.5, 0.25)


def test_nothing_is_claimed_before_eight_probes() -> None:
    pool = PoolPassRate()
    pool.add(9)
    assert pool.metrics() == {"probes": 0}
    assert math.isnan(pool.rate)
    for draw in range(8):
        assert pool.interval() == (0.0, 1.0)
        pool.expect(draw, Frame(1.0, 0.0))
        pool.observe(draw, draw, [float(draw % 2)])
    low, high = pool.interval()
    assert 0.0 < low < 0.5 < high < 1.0
    other = PoolPassRate()
    other.load_state_dict(json.loads(json.dumps(pool.state_dict())))
    assert other.metrics() == pool.metrics()


def opened(rate_N: FloatArray, seed: int, store: str | None = None, **settings: Any) -> Curriculum:
    rows = [Row(f"{number:04}", {}) for number in range(len(rate_N))]
    settings = {"group_size": 8, "seed": seed, "pick": "top", **settings}
    return Curriculum(rows, CurriculumConfig.model_validate(settings), store)


def play(curriculum: Curriculum, rate_N: FloatArray, draws: int, rng: np.random.Generator) -> None:
    for _ in range(draws):
        draw = curriculum.ask()
        rewards = (rng.random(8) < rate_N[int(draw.uid)]).astype(float).tolist()
        for outcome in outcomes(draw, rewards):
            curriculum.tell(outcome)


def test_the_interval_holds_the_truth_nine_times_in_ten() -> None:
    """A pool most of which is dead, and a rule that hardly looks there."""
    held = 0
    naive = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        rate_N = np.where(rng.random(SIZE) < 0.6, 0.0, rng.random(SIZE))
        settings: Any = {"explore": 0.3, "probe": 0.5, "outage": {"enabled": False}}
        with opened(rate_N, seed, **settings) as curriculum:
            play(curriculum, rate_N, 600, rng)
            metrics = curriculum.metrics()
        truth = float(rate_N.mean())
        held += metrics["pool_pass_rate_low"] <= truth <= metrics["pool_pass_rate_high"]
        naive.append(metrics["success_mean"] - truth)
        assert metrics["pool_pass_rate_high"] - metrics["pool_pass_rate_low"] < 0.25
    assert held >= 23  # Binomial(30, .9) is below that once in 40
    assert min(naive) > 0.03, "what was drawn says nothing of the pool"


def lab(setting: str, seed: int) -> tuple[float, dict[str, float]]:
    """The pool's true pass rate at the times of the probes, and the metrics."""
    world = World(SETTINGS[setting], seed)
    settings = {"group_size": 8, "batch_groups": 16, "explore": 0.2, "probe": 0.5, "seed": seed}
    config = CurriculumConfig.model_validate(settings)
    truth: list[float] = []
    with Curriculum(world.rows, config, clock=lambda: 0.0) as curriculum:
        for _ in range(800):
            group = world.roll(curriculum.ask())
            for outcome in group.outcomes:
                curriculum.tell(outcome)
            if curriculum.metrics()["probes"] > len(truth):
                truth.append(float(world.pass_rates().mean()))
            world.learn(group)
        return float(np.mean(truth)), curriculum.metrics()


def test_it_agrees_with_the_lab() -> None:
    """The policy learns all the while. Over 24 such runs the errors had mean .10 and standard
    deviation 1.2 in units of the standard error."""
    settings = ("features", "dead-pool", "drifting", "noisy-checker")
    held, errors = 0, []
    for seed, setting in enumerate(2 * settings):
        truth, metrics = lab(setting, seed)
        rate, low, high = (metrics[f"pool_pass_rate{end}"] for end in ("", "_low", "_high"))
        assert abs(rate - truth) < high - low
        errors.append((rate - truth) / ((high - low) / (2 * 1.645)))
        held += low <= truth <= high
    assert abs(fmean(errors)) < 3 / len(errors) ** 0.5
    assert held >= 6


def test_probes_are_drawn_evenly_and_say_their_chance() -> None:
    rate_N = np.linspace(0.0, 1.0, 40)
    with opened(rate_N, 0, explore=1.0, probe=1.0, cooldown=0) as curriculum:
        play(curriculum, rate_N, 400, np.random.default_rng(0))
        drawn = list(curriculum.store.draws())
        assert [event["draw"] for event in curriculum.store.events("probe")] == list(range(400))
    visits_N = np.bincount([int(draw.uid) for draw in drawn], minlength=40)
    assert ((visits_N - 10) ** 2 / 10).sum() < 72.1  # chi-square, 39 degrees, .001
    assert all(1 / 40 <= draw.propensity <= 1 / 39 for draw in drawn)


@pytest.mark.parametrize("novelty", [1.0, 0.5])
def test_a_rule_draws_with_the_chances_that_are_logged(novelty: float) -> None:
    """Over many seeds, the first draw of the same curriculum."""
    rate_N = np.linspace(0.0, 1.0, 10)
    settings = {"pick": "proportional", "explore": 0.0, "novelty": novelty, "refresh": 1}
    chance_N, drawn_N = np.zeros(10), np.zeros(10)
    rows = [
        Row(f"{n:04}", {}, prior_passes=10 * p, prior_attempts=10) for n, p in enumerate(rate_N)
    ]
    for seed in range(1500):
        config = CurriculumConfig.model_validate({"seed": seed, "group_size": 8, **settings})
        with Curriculum(rows, config) as curriculum:
            draw = curriculum.ask()
        chance_N[int(draw.uid)] = draw.propensity
        drawn_N[int(draw.uid)] += 1
    assert chance_N.sum() == pytest.approx(1.0)
    expected_N = 1500 * chance_N
    assert ((drawn_N - expected_N) ** 2 / expected_N).sum() < 27.9  # chi-square, 9 degrees, .001


def test_a_restart_forgets_no_probe(tmp_path: Path) -> None:
    rate_N = np.linspace(0.0, 1.0, 60)
    store = f"sqlite:///{tmp_path}/c.db"
    with opened(rate_N, 0, store, explore=0.5) as curriculum:
        play(curriculum, rate_N, 300, np.random.default_rng(0))
        curriculum.sync(5.0)
        before = curriculum.metrics()
        save_state(tmp_path, curriculum.state_dict())
    with opened(rate_N, 0, store, explore=0.5) as curriculum:
        assert curriculum.metrics()["probes"] == before["probes"] > 8
        assert curriculum.metrics()["pool_pass_rate"] == pytest.approx(before["pool_pass_rate"])
        curriculum.load_state_dict(load_state(tmp_path))
        assert curriculum.metrics()["pool_pass_rate"] == before["pool_pass_rate"]


def test_without_exploration_there_is_no_figure() -> None:
    rate_N = np.full(30, 0.5)
    for settings in ({"explore": 0.0}, {"probe": 0.0}, {"sampler": {"type": "uniform"}}):
        with opened(rate_N, 0, **settings) as curriculum:
            play(curriculum, rate_N, 100, np.random.default_rng(0))
            assert curriculum.metrics()["probes"] == 0
            assert "pool_pass_rate" not in curriculum.metrics()
