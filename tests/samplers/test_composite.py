from __future__ import annotations

import json
from typing import get_args

import numpy as np
import pytest

from curriculum_env.estimators import Beta, survival
from curriculum_env.samplers import Pick, View, build_sampler
from curriculum_env.samplers.bucket_bandit import BucketBanditConfig
from curriculum_env.samplers.composite import CompositeConfig
from curriculum_env.samplers.greedy import GreedyConfig
from curriculum_env.samplers.part import part_of
from curriculum_env.samplers.sequential import SequentialConfig
from curriculum_env.testing.samplers import make_rows, make_view
from curriculum_env.types import Group

LEVELS = BucketBanditConfig(by="level", beta2=0.0, floor=0.0)


def test_a_part_of_the_pool_is_a_pool() -> None:
    view = make_view(20)
    view.novelty_N[:] = np.arange(20) / 20
    view.available_N[6] = False
    part = part_of(view, np.array([4, 6, 11]))
    assert part.size == part.estimator.size == 3
    assert part.available_N.tolist() == [True, False, True]
    assert part.novelty_N.tolist() == [0.2, 0.3, 0.55]
    assert part.estimator.mean().tolist() == view.estimator.mean()[[4, 6, 11]].tolist()
    assert part.estimator.survival(8, np.array([2]))[0] == view.estimator.survival(8)[11]
    low, high = part.estimator.interval()
    assert np.all(low <= high)
    assert part.estimator.evidence(slice(1)).tolist() == view.estimator.evidence()[[4]].tolist()


@pytest.mark.parametrize("pick", get_args(Pick))
def test_the_rule_inside_picks_within_the_bucket(pick: Pick) -> None:
    """Every level gets a fifth of the draws and, highest first, its rows nearest one half."""
    sampler = build_sampler(CompositeConfig(over=LEVELS, inside=GreedyConfig()))
    sampler.add(make_rows(500))
    view = make_view(500, pick=pick)
    rows_K, propensity_K, _ = sampler.select(50, view)
    assert np.bincount(rows_K % 5).tolist() == [10] * 5
    distance_N = np.abs(view.estimator.mean() - 0.5)
    if pick != "proportional":
        assert propensity_K == pytest.approx([0.2] * 50)
        for level in range(5):
            chosen = distance_N[rows_K[rows_K % 5 == level]]
            assert chosen.max() <= np.sort(distance_N[level::5])[9] + 1e-12
    else:
        assert distance_N[rows_K].mean() < distance_N.mean()


def test_each_bucket_has_a_rule_of_its_own_that_hears_of_its_rows() -> None:
    config = CompositeConfig(over=LEVELS, inside=SequentialConfig())
    sampler, other = build_sampler(config), build_sampler(config)
    for each in (sampler, other):
        each.add(make_rows(7))
        each.add(make_rows(13, start=7))
    first = sorted(sampler.select(10, make_view(20)).rows_K.tolist())
    assert first == list(range(10))
    other.load_state_dict(json.loads(json.dumps(sampler.state_dict())))
    for each in (sampler, other):
        assert sorted(each.select(10, make_view(20)).rows_K.tolist()) == list(range(10, 20))


def test_the_bandit_hears_of_the_bucket() -> None:
    over = BucketBanditConfig(by="level", beta2=50.0, floor=0.0, every=0)
    sampler = build_sampler(CompositeConfig(over=over))
    sampler.add(make_rows(50))
    for row in range(5):
        sampler.observe(Group(row, 5 + row, (1.0, 0.0) if row == 3 else (1.0, 1.0)))
    assert set((sampler.select(10, make_view(50)).rows_K % 5).tolist()) == {3}


def test_chances_and_survival_multiply() -> None:
    estimator = Beta()
    estimator.add(make_rows(4))
    for row, passes in enumerate([4, 8, 6, 2]):
        estimator.update(row, [1.0] * passes + [0.0] * (8 - passes))
    rows = [make_rows(1)[0], *make_rows(3, start=5)]
    sampler = build_sampler(CompositeConfig(over=LEVELS))
    sampler.add(rows)
    view = View(estimator, np.ones(4, np.bool_), np.ones(4), 8, np.random.default_rng(0))
    rows_K, propensity_K, _ = sampler.select(4, view)
    weight_N = estimator.survival(8)
    inside_N = weight_N / np.array(
        [weight_N[:2].sum(), weight_N[:2].sum(), weight_N[2], weight_N[3]]
    )
    expected_N = inside_N / 3
    assert propensity_K == pytest.approx(expected_N[rows_K])
    assert survival(0.5, 8) == 0.9921875
