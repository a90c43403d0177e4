from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from curriculum_env.config import CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.estimators import Beta, BetaConfig, survival
from curriculum_env.samplers import View, build_sampler
from curriculum_env.samplers.band import Band, BandConfig
from curriculum_env.samplers.custom import CustomConfig
from curriculum_env.samplers.greedy import Greedy, GreedyConfig
from curriculum_env.samplers.sequential import Sequential
from curriculum_env.samplers.survival import Survival
from curriculum_env.samplers.thompson import Thompson, ThompsonConfig
from curriculum_env.testing.estimators import make_rows
from curriculum_env.types import FloatArray


def view(mean_N: list[float], strength: float = 1e6, **fields: object) -> View:
    """A view of sure beliefs; the highest score first."""
    estimator = Beta(BetaConfig(age_decay=1.0, prior=(1e-9, 1e-9)))
    estimator.add([row for mean in mean_N for row in make_rows(1, mean * strength, strength)])
    shape = len(mean_N)
    made = View(
        estimator, np.ones(shape, np.bool_), np.ones(shape), 8, np.random.default_rng(0), "top"
    )
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def order(score_N: FloatArray) -> list[int]:
    return [int(row) for row in np.argsort(-score_N, kind="stable")]


def test_survival_is_the_expected_share_of_living_groups() -> None:
    found = Survival().score(view([0.5, 0.9, 0.02]))
    assert found == pytest.approx(survival(np.array([0.5, 0.9, 0.02]), 8), abs=1e-4)
    assert np.all(Survival().score(view([0.5], group_size=1)) > 0.0)


def test_greedy_goes_by_the_distance_to_the_target() -> None:
    assert order(Greedy().score(view([0.1, 0.45, 0.6, 0.99]))) == [1, 2, 0, 3]
    hard = Greedy(GreedyConfig(target=0.1))
    assert order(hard.score(view([0.1, 0.45, 0.6, 0.99]))) == [0, 1, 2, 3]


def test_a_band_outranks_whatever_lies_outside() -> None:
    assert order(Band().score(view([0.81, 0.8, 0.2, 0.5, 0.19, 0.0]))) == [3, 1, 2, 0, 4, 5]
    tired = view([0.21, 0.19])
    tired.novelty_N[0] = 0.8**20
    rows_K, _ = tired.choose(Band().score(tired), 1)
    assert rows_K.tolist() == [0]


def test_a_band_must_rise() -> None:
    with pytest.raises(ValidationError, match="low <= target <= high"):
        BandConfig(low=0.6, high=0.4)


def test_thompson_follows_what_it_is_sure_of_and_tries_what_it_is_not() -> None:
    sure = view([0.9, 0.5, 0.1])
    assert Thompson().select(3, sure).rows_K.tolist()[0] == 1
    firsts = set()
    for seed in range(40):
        unsure = view([0.9, 0.5, 0.1], strength=2.0, rng=np.random.default_rng(seed))
        firsts.add(int(Thompson().select(1, unsure).rows_K[0]))
    assert firsts == {0, 1, 2}


def test_thompson_samples_a_shortlist_only() -> None:
    means = [0.5] * 4 + [0.9] * 96
    short = Thompson(ThompsonConfig(shortlist=2)).select(1, view(means, strength=1.0))
    assert int(short.rows_K[0]) < 4
    whole = Thompson(ThompsonConfig(shortlist=None))
    rows = {
        int(whole.select(1, view(means, 1.0, rng=np.random.default_rng(i))).rows_K[0])
        for i in range(20)
    }
    assert any(row >= 4 for row in rows)


def test_sequential_goes_round_and_passes_over() -> None:
    sampler, pool = Sequential(), view([0.5] * 5)
    assert sampler.select(3, pool).rows_K.tolist() == [0, 1, 2]
    pool.available_N[3] = False
    assert sampler.select(3, pool).rows_K.tolist() == [4, 0, 1]
    assert sampler.select(9, pool).rows_K.tolist() == [2, 4, 0, 1]


@pytest.mark.parametrize(
    ("class_path", "args"),
    [
        ("no.such.module:Class", {}),
        ("curriculum_env.samplers:NoSuchClass", {}),
        ("curriculum_env.samplers", {}),
        ("collections:Counter", {}),
        ("curriculum_env.samplers.uniform:Uniform", {"no_such": 1}),
    ],
)
def test_a_custom_class_that_cannot_be_used(class_path: str, args: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=class_path.replace(".", r"\.")):
        build_sampler(CustomConfig(class_path=class_path, args=args))


def test_an_unknown_rule_names_the_known_ones() -> None:
    with pytest.raises(ValidationError, match=r"'survival', 'thompson'"):
        CurriculumConfig.model_validate({"sampler": {"type": "no-such"}})


@pytest.mark.parametrize("bounds", [(1.0, 1.0), (1.0, 0.0), (float("nan"), 1.0)])
def test_a_reward_range_must_rise(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValidationError, match="the smaller first"):
        CurriculumConfig(reward_range=bounds)
