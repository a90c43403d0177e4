from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.samplers.exp3s import Exp3s, Exp3sConfig, Gains


def bandit(arms: int, **settings: object) -> Exp3s:
    made = Exp3s(Exp3sConfig.model_validate(settings))
    made.table.grow(arms)
    return made


def test_steps_by_hand() -> None:
    made = bandit(3, eta=0.1, epsilon=0.05)
    assert made.pi().tolist() == pytest.approx([1 / 3] * 3)
    made.update(1, 1.0)  # t = 2: a = 1/2; u_1 = .1 * 1 / (1/3) = .3
    w = [
        log(0.5 * 1 + 0.25 * (1 + exp(0.3))),
        log(0.5 * exp(0.3) + 0.25 * (1 + 1)),
        log(0.5 * 1 + 0.25 * (exp(0.3) + 1)),
    ]
    total = sum(map(exp, w))
    pi = [0.95 * exp(x) / total + 0.05 / 3 for x in w]
    assert made.pi().tolist() == pytest.approx(pi)
    made.update(0, -0.5)  # t = 3: a = 1/3
    up = [w[0] - 0.1 * 0.5 / pi[0], w[1], w[2]]
    e = [exp(x) for x in up]
    w = [log(2 / 3 * e[i] + 1 / 6 * (sum(e) - e[i])) for i in range(3)]
    total = sum(map(exp, w))
    assert made.pi().tolist() == pytest.approx([0.95 * exp(x) / total + 0.05 / 3 for x in w])


def test_the_bonus_goes_to_all() -> None:
    made = bandit(2, eta=0.1, beta=0.5, epsilon=0.0)
    made.update(0, 1.0)  # a = 1/2 of two buckets: all is shared
    assert made.pi().tolist() == pytest.approx([0.5, 0.5])
    made.update(0, 1.0)
    up = exp(0.1 * 1.5 / 0.5), exp(0.1 * 0.5 / 0.5)
    weight = 2 / 3 * up[0] + 1 / 3 * up[1]
    assert made.pi()[0] == pytest.approx(weight / (up[0] + up[1]))


def test_one_bucket() -> None:
    made = bandit(1)
    made.update(0, 1.0)
    assert made.pi().tolist() == [1.0]


def test_gains_are_scaled_between_their_quantiles() -> None:
    gains = Gains(1000)
    for gain in range(100):
        gains.add(gain / 99)
    assert gains.quantile(0.2) == pytest.approx(0.2)
    assert gains.quantile(0.8) == pytest.approx(0.8)
    assert gains.scaled(0.0) == -1.0
    assert gains.scaled(1.0) == 1.0
    assert gains.scaled(0.5) == pytest.approx(0.0, abs=0.01)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30))
def test_quantiles_of_the_last_gains(values: list[float]) -> None:
    gains = Gains(12)
    for value in values:
        assert -1.0 <= gains.scaled(value) <= 1.0
    for q in (0.2, 0.8):
        assert gains.quantile(q) == pytest.approx(np.quantile(values[-12:], q), abs=1e-12)


def test_equal_gains_say_nothing() -> None:
    gains = Gains(8)
    assert [gains.scaled(0.3) for _ in range(5)] == [0.0] * 5


@pytest.mark.parametrize("kind", ["progress", "signal"])
def test_the_bucket_that_gains_wins(kind: str) -> None:
    made, rng = bandit(3, gain=kind, eta=0.02), np.random.default_rng(0)
    for step in range(3000):
        arm = int(rng.choice(3, p=made.pi()))
        rising = (step / 3000) if arm == 1 else (0.0 if arm == 0 else 1.0)
        made.observe(arm, (rng.random(8) < rising).astype(float).tolist())
    assert np.argmax(made.pi()) == 1
    if kind == "signal":
        assert made.pi()[1] > 0.8


def test_a_first_score_is_no_gain() -> None:
    made = bandit(2)
    made.observe(0, [1.0])
    assert made.updates == 0
    made.observe(0, [0.0])
    assert made.updates == 1
