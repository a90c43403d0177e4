"""The lab beside real training, as recorded in benchmarks/training_results.json."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from benchmarks.lab_ladders import (
    ACCURACY,
    CALIBRATED,
    RANGES,
    TRAINING,
    Standing,
    agreement,
    anywhere,
    distance,
    jobs,
    near,
    played,
    rank,
    trained,
)
from curriculum_env.sim import LADDERS, SETTINGS, Setting

RESULTS = json.loads(TRAINING.read_text())
RULES = ("uniform", "default", "gain-top", "mopps", "sec", "difficulty-pools")


def test_the_lab_says_of_rules_what_real_training_said() -> None:
    todo = [job for job in jobs(RESULTS, RULES, [{}], 1) if job[1] == "easy-heavy"]
    (lab,) = played(todo, 1)
    real = trained(RESULTS)
    lab |= {key: line for key, line in real.items() if key not in lab}
    found = agreement(lab, real, RULES)["easy-heavy"]
    assert found["rollouts_rank"] >= 0.8
    assert found["gained_rank"] >= 0.6
    assert found["apart"] <= 1.3


def test_every_rule_that_it_was_calibrated_on_was_measured_but_not_the_default() -> None:
    assert {pool for pool, _ in trained(RESULTS)} == {"even", "easy-heavy", "hard-heavy"}
    assert {rule for _, rule in trained(RESULTS)} > set(CALIBRATED)
    assert "default" not in CALIBRATED


def test_the_distance_counts_rollouts_by_ratio_and_accuracy_by_difference() -> None:
    real = {("even", "uniform"): Standing(1.0, 0.9, 0.0), ("even", "a"): Standing(0.5, 0.9, 0.02)}
    assert distance(real, real) == 0.0
    worse = {**real, ("even", "a"): Standing(0.5, 0.9, 0.02 + ACCURACY)}
    assert distance(worse, real) == pytest.approx(0.5)
    twice, half = (
        {**real, ("even", "a"): replace(real["even", "a"], needed=needed)} for needed in (1.0, 0.25)
    )
    assert distance(twice, real) == pytest.approx(distance(half, real))


def test_the_rank_correlation_shares_ranks_among_equals() -> None:
    assert rank([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]) == 1.0
    assert rank([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == -1.0
    assert rank([1.0, 1.0, 2.0], [1.0, 2.0, 3.0]) == pytest.approx(0.866, abs=1e-3)


def test_the_search_stays_within_its_ranges() -> None:
    rng = random.Random(0)
    numbers = anywhere(rng)
    for _ in range(50):
        numbers = near(numbers, rng)
        assert all(low <= numbers[name] <= high for name, (low, high) in RANGES.items())


@pytest.mark.parametrize("setting", [*LADDERS.values(), *SETTINGS.values()], ids=lambda s: s.name)
def test_all_worlds_have_the_numbers_that_were_calibrated(setting: Setting) -> None:
    """All but the gain, which depends on the number of skills."""
    for name in RANGES.keys() - {"gain"}:
        assert getattr(setting, name) == getattr(LADDERS["ladder-even"], name)
