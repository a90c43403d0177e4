from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum_env.metrics import Diversity, Living, effective_number


@given(st.lists(st.integers(0, 9), max_size=60))
def test_the_running_figures_agree_with_the_definition(draws: list[int]) -> None:
    visits = [0] * 10
    diversity = Diversity()
    for row in draws:
        diversity.observe(visits[row])
        visits[row] += 1
    assert diversity.distinct == sum(count > 0 for count in visits)
    assert diversity.effective == pytest.approx(effective_number(visits))
    total = len(draws)
    entropy = -sum(n / total * math.log(n / total) for n in visits if n)
    assert effective_number(visits) == pytest.approx(math.exp(entropy) if total else 0.0)


def test_tasks_drawn_alike_are_all_effective() -> None:
    assert effective_number([3, 3, 3, 3]) == pytest.approx(4.0)
    assert effective_number([5, 0, 0]) == pytest.approx(1.0)


def test_rho_over_all_and_of_late() -> None:
    living = Living(window=4)
    assert living.rho == living.rho_recent == 0.0
    for alive in [True] * 4 + [False] * 3 + [True]:
        living.observe(alive)
    assert living.rho == 5 / 8
    assert living.rho_recent == 1 / 4
    other = Living(window=4)
    other.load_state_dict(living.state_dict())
    other.observe(True)
    assert (other.rho, other.rho_recent) == (6 / 9, 2 / 4)
