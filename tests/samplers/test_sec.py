from __future__ import annotations

from math import comb, exp, sqrt

import pytest

from curriculum_env.samplers.buckets import Buckets
from curriculum_env.samplers.sec import Sec, SecConfig, mean_advantage
from curriculum_env.testing.samplers import make_view


@pytest.mark.parametrize(("p", "expected"), [(0.5, 0.9278), (0.9, 0.4190)])
def test_the_mean_advantage_of_a_group_of_eight(p: float, expected: float) -> None:
    """E|A| per rollout under GRPO that divides by the deviation."""
    mean = sum(
        comb(8, k) * p**k * (1 - p) ** (8 - k) * mean_advantage([1.0] * k + [0.0] * (8 - k))
        for k in range(9)
    )
    assert mean == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("passes", range(9))
def test_for_rewards_of_nought_and_one(passes: int) -> None:
    success_G, p = [1.0] * passes + [0.0] * (8 - passes), passes / 8
    assert mean_advantage(success_G) == pytest.approx(2 * sqrt(p * (1 - p)))
    assert mean_advantage(success_G, normalise=False) == pytest.approx(2 * p * (1 - p))


def sec(**settings: object) -> Sec:
    made = Sec(SecConfig.model_validate({"batch_groups": 3, **settings}))
    made.table.grow(3)
    return made


@pytest.mark.parametrize("decays", [False, True])
def test_steps_by_hand(decays: bool) -> None:
    made = sec(learning_rate=0.5, decay_unvisited=decays)
    made.observe(0, [1.0, 0.0])
    made.observe(0, [1.0, 1.0])
    assert made.table["q"].tolist() == [0.0] * 3
    made.observe(1, [1.0, 0.0, 0.0, 0.0])
    first = sqrt(3) / 2
    assert made.table["q"].tolist() == pytest.approx([0.25, first / 2, 0.0])
    for _ in range(3):
        made.observe(0, [0.0, 0.0])
    unvisited = first / 4 if decays else first / 2
    assert made.table["q"].tolist() == pytest.approx([0.125, unvisited, 0.0])


def test_a_softmax_of_the_values() -> None:
    made = sec(temperature=0.2, learning_rate=1.0)
    for _ in range(3):
        made.observe(2, [1.0, 0.0])
    weight = exp(1 / 0.2)
    expected = [1 / (2 + weight), 1 / (2 + weight), weight / (2 + weight)]
    assert made.chances(make_view(3), Buckets()).tolist() == pytest.approx(expected)
