from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from curriculum_env import Curriculum, CurriculumConfig, Outcome, Row
from curriculum_env.errors import ConfigError
from curriculum_env.samplers.mixture import Mixture, MixtureConfig, at_least

SIZES = {"math": 600, "code": 300, "logic": 100}


def pool() -> list[Row]:
    return [
        Row(f"{domain}{i}", {}, domain, str(i % 3))
        for domain, size in SIZES.items()
        for i in range(size)
    ]


def shares(
    draws: int, settings: dict[str, object], rates: dict[str, float] | None = None
) -> dict[str, float]:
    """How often each domain was drawn, where every group of 4 passes at its domain's rate."""
    sampler = {"type": "mixture", **settings}
    config = CurriculumConfig.model_validate({"group_size": 4, "cooldown": 20, "sampler": sampler})
    rng, counts = np.random.default_rng(0), Counter[str]()
    with Curriculum(pool(), config) as curriculum:
        for _ in range(draws):
            draw = curriculum.ask()
            counts[draw.domain] += 1
            passed = rng.random(4) < (rates or {}).get(draw.domain, 0.5)
            for i, reward in enumerate(passed.astype(float).tolist()):
                curriculum.tell(Outcome(draw.number, draw.uid, f"{draw.number}.{i}", reward))
        assert curriculum.metrics()["forced_draws"] == 0
    return {domain: counts[domain] / draws for domain in SIZES}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [1 / 3, 1 / 3, 1 / 3]),
        ({"rest": "rows"}, [0.6, 0.3, 0.1]),
        ({"rest": "rows", "floor": 0.2}, [0.6 * 0.8 / 0.9, 0.3 * 0.8 / 0.9, 0.2]),
        ({"quotas": {"logic": 0.5}}, [0.25, 0.25, 0.5]),
        ({"quotas": {"logic": 0.2, "math": 0.7}}, [0.7, 0.1, 0.2]),
        ({"quotas": {"logic": 0.0}, "floor": 0.1}, [0.45, 0.45, 0.1]),
        ({"quotas": {"logic": 0.1, "math": 0.3, "code": 0.1}}, [0.6, 0.2, 0.2]),
        ({"inside": {"type": "uniform"}}, [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_quotas_and_floors_hold_over_the_draws(
    settings: dict[str, object], expected: list[float]
) -> None:
    found = shares(1280, settings)
    assert list(found.values()) == pytest.approx(expected, abs=0.012)


def test_by_signal_the_domain_that_lives_gets_more_and_the_floor_holds() -> None:
    found = shares(
        3000, {"rest": "signal", "floor": 0.15}, {"math": 0.5, "code": 0.0, "logic": 1.0}
    )
    assert found["math"] > 0.45
    assert min(found.values()) >= 0.145


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1))
def test_a_floor(weights: list[float], floor: float) -> None:
    weight_A = np.array(weights) + 1e-6
    share_A = weight_A / weight_A.sum()
    raised_A = at_least(share_A, floor)
    least = min(floor, 1 / len(weights))
    assert raised_A.sum() == pytest.approx(1.0)
    assert raised_A.min() >= least - 1e-9
    above = raised_A > least + 1e-9
    assert np.all(raised_A[~above] == pytest.approx(least))
    if above.any():
        ratio = raised_A[above] / share_A[above]
        assert ratio == pytest.approx(np.full(len(ratio), ratio[0]))


def test_a_quota_for_a_domain_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match=r"'maths'; expected .* \('code', 'logic', 'math'\)"):
        Mixture(MixtureConfig(quotas={"maths": 0.5})).add(pool())


@pytest.mark.parametrize("quotas", [{"a": 0.6, "b": 0.5}, {"a": -0.1}])
def test_quotas_that_are_no_shares(quotas: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="whose sum is at most 1"):
        MixtureConfig(quotas=quotas)
