from __future__ import annotations

import json

import numpy as np
import pytest

from curriculum_env.samplers import Sampler, build_sampler
from curriculum_env.samplers.composite import CompositeConfig
from curriculum_env.samplers.forgetting import Forgetting, ForgettingConfig
from curriculum_env.samplers.sequential import SequentialConfig
from curriculum_env.samplers.tscl import TsclConfig
from curriculum_env.samplers.uniform import UniformConfig
from curriculum_env.samplers.watch import (
    BucketWatch,
    TaskWatch,
    deviations,
    independent,
    wilson,
)
from curriculum_env.testing.samplers import make_rows, make_view
from curriculum_env.types import Group


def rolled(rng: np.random.Generator, p: float) -> list[float]:
    return [float(x) for x in rng.random(8) < p]


def watched(seed: int, p: float, groups: int) -> tuple[BucketWatch, np.random.Generator, int]:
    watch, rng = BucketWatch(100, 0.1, 0.999), np.random.default_rng(seed)
    watch.table.grow(1)
    alarms = sum(watch.observe(0, rolled(rng, p)) for _ in range(groups))
    return watch, rng, alarms


def test_an_interval_by_hand() -> None:
    low, high = wilson(0.5, 100, 2.0)
    assert (low, high) == pytest.approx((0.5 - 2 * 0.05 / np.sqrt(1.04), 0.5 + 0.1 / np.sqrt(1.04)))
    assert wilson(1.0, 16, 2.0) == pytest.approx((0.8, 1.0))
    assert deviations(0.95) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.8, 0.95])
def test_chance_alone_seldom_raises_an_alarm(p: float) -> None:
    """At most two alarms in ten buckets of 10,000 rewards each, whose pass rate never moves."""
    assert sum(watched(seed, p, 1250)[2] for seed in range(10)) <= 2


def test_rollouts_of_one_task_are_not_so_many_independent_ones() -> None:
    group_W = np.repeat(np.arange(12), 8)
    rng = np.random.default_rng(0)
    apart = np.mean([independent(np.round(rng.random(96)), group_W) for _ in range(200)])
    assert 70 < apart <= 96
    assert independent(np.repeat([0.0, 1.0], 48), group_W) == pytest.approx(12.0)
    assert independent(np.ones(96), group_W) == 96.0


@pytest.mark.parametrize(("window", "most"), [(100, 15), (200, 3)])
def test_a_bucket_of_unlike_tasks_seldom_raises_an_alarm(window: int, most: int) -> None:
    """A third never pass, a third always do, the rest do half of the time; nothing moves. Taking
    every rollout for independent raised 112 and 71 alarms in these 100,000 rewards."""
    alarms, rng = 0, np.random.default_rng(0)
    for _ in range(10):
        watch = BucketWatch(window, 0.1, 0.999)
        watch.table.grow(1)
        rates = rng.choice([0.0, 0.5, 1.0], 1250).tolist()
        alarms += sum(watch.observe(0, rolled(rng, p)) for p in rates)
    assert alarms <= most


@pytest.mark.parametrize(("best", "fallen"), [(0.9, 0.6), (0.6, 0.3), (0.95, 0.6)])
def test_a_drop_raises_one_alarm_and_recovery_ends_it(best: float, fallen: float) -> None:
    for seed in range(8):
        watch, rng, alarms = watched(seed, best, 40)
        assert alarms == 0
        heard = [watch.observe(0, rolled(rng, fallen)) for _ in range(40)]
        assert sum(heard) == 1
        assert watch.forgotten.tolist() == [0]
        for _ in range(60):
            watch.observe(0, rolled(rng, best))
        assert watch.forgotten.tolist() == []


def test_a_small_drop_does_not_count_however_sure() -> None:
    watch, rng = BucketWatch(4000, 0.1, 0.999), np.random.default_rng(0)
    watch.table.grow(1)
    for p in (0.8, 0.72):
        alarms = sum(watch.observe(0, rolled(rng, p)) for _ in range(1000))
    assert alarms == 0


def test_nothing_is_judged_before_the_window_is_full() -> None:
    watch, _, _ = watched(0, 1.0, 12)
    assert watch.table["best"][0] == -1.0
    watch.observe(0, [1.0] * 8)
    assert watch.table["best"][0] == 1.0


def test_a_solved_task_is_forgotten_and_recovers() -> None:
    tasks = TaskWatch(16, 0.1, 0.95)
    assert not tasks.observe(3, [1.0] * 8)
    assert not tasks.observe(3, [0.0] * 8)  # 8 in a row were no solution
    for _ in range(2):
        tasks.observe(3, [1.0] * 8)
    # 16 of 16: at least .806; 5 of 8: at most .863; then 7 of 16: at most .668
    assert not tasks.observe(3, [1.0] * 5 + [0.0] * 3)
    assert tasks.observe(3, [1.0] * 2 + [0.0] * 6)
    assert tasks.forgotten == {3}
    assert not tasks.observe(3, [0.0] * 8)
    tasks.observe(3, [1.0] * 8)
    assert tasks.forgotten == set()


def test_a_slip_between_solved_groups_is_none() -> None:
    tasks = TaskWatch(16, 0.1, 0.999)
    for _ in range(6):
        tasks.observe(0, [1.0] * 8)
        assert not tasks.observe(0, [1.0] * 7 + [0.0])


def guard(**settings: object) -> Forgetting:
    config = ForgettingConfig.model_validate({"inside": UniformConfig(), **settings})
    made = build_sampler(config)
    assert isinstance(made, Forgetting)
    made.add(make_rows(1000))
    return made


def tell(sampler: Sampler, level: int, passes: int, groups: int) -> None:
    """Groups of 8 with so many passes, each of another row of the level."""
    for i in range(groups):
        success_G = (1.0,) * passes + (0.0,) * (8 - passes)
        sampler.observe(Group(0, level + 5 * (i % 150), success_G))


def share_of_level(sampler: Sampler, level: int) -> float:
    levels = [sampler.select(50, make_view(1000, draw=draw)).rows_K % 5 for draw in range(40)]
    return float(np.mean(np.concatenate(levels) == level))


def test_a_share_of_the_draws_goes_to_a_forgotten_bucket_until_it_recovers() -> None:
    sampler = guard()
    tell(sampler, 2, 7, 20)
    assert share_of_level(sampler, 2) == pytest.approx(0.2, abs=0.03)
    tell(sampler, 2, 2, 13)
    assert sampler.metrics()["forgotten_buckets"] == 1
    assert share_of_level(sampler, 2) == pytest.approx(0.2 + 0.8 * 0.2, abs=0.03)
    tell(sampler, 2, 7, 20)
    assert sampler.metrics()["forgotten_buckets"] == 0
    assert sampler.metrics()["forgetting_alarms"] == 1
    assert share_of_level(sampler, 2) == pytest.approx(0.2, abs=0.03)


def test_forgotten_tasks_come_again_at_once_and_their_propensity_is_logged() -> None:
    sampler = guard(solved=8, confidence=0.9)
    for row in (10, 21):
        sampler.observe(Group(0, row, (1.0,) * 8))
        sampler.observe(Group(1, row, (0.0,) * 8))
    assert sampler.metrics()["forgotten_tasks"] == 2
    rows_K, propensity_K, _ = sampler.select(50, make_view(1000))
    chance = dict(zip(rows_K.tolist(), propensity_K.tolist(), strict=True))
    assert chance[10] == chance[21] == pytest.approx(0.1)
    assert len(rows_K) == len(set(rows_K.tolist())) == 50
    assert chance[next(row for row in chance if row not in (10, 21))] == pytest.approx(0.8 / 998)
    view = make_view(1000)
    view.available_N[[10, 21]] = False
    assert not {10, 21} & set(sampler.select(50, view).rows_K.tolist())


def test_tasks_leave_half_to_buckets() -> None:
    sampler = guard(solved=8, confidence=0.9, window=64)
    tell(sampler, 2, 8, 150)
    tell(sampler, 2, 0, 150)
    assert sampler.metrics()["forgotten_tasks"] == 150
    tasks = sampler.tasks.forgotten
    counts = [
        len(tasks & set(sampler.select(50, make_view(1000, draw=draw)).rows_K.tolist()))
        for draw in range(20)
    ]
    assert np.mean(counts) == pytest.approx(5 + 40 * 150 / 990, abs=1.5)


def test_its_state_survives_json() -> None:
    one, other = guard(solved=8, confidence=0.9), guard(solved=8, confidence=0.9)
    tell(one, 2, 8, 30)
    tell(one, 2, 0, 13)
    other.load_state_dict(json.loads(json.dumps(one.state_dict())))
    assert other.metrics() == one.metrics()
    for draw in range(3):
        chosen = [
            each.select(20, make_view(1000, draw=draw)).rows_K.tolist() for each in (one, other)
        ]
        assert chosen[0] == chosen[1]
    for each in (one, other):
        tell(each, 2, 8, 13)
    assert other.state_dict() == one.state_dict()


def test_the_engine_explores_where_the_rule_inside_would_have_it() -> None:
    assert build_sampler(ForgettingConfig()).explores
    for inside in (UniformConfig(), TsclConfig(), CompositeConfig(), SequentialConfig()):
        assert not build_sampler(ForgettingConfig(inside=inside)).explores
