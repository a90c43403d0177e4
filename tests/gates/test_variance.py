from __future__ import annotations

import pytest

from curriculum_env.gates import Variance, VarianceConfig


@pytest.mark.parametrize(
    ("success_G", "alive"),
    [
        ([], False),
        ([0.0], True),
        ([1.0, 1.0, 1.0], False),
        ([0.0, 0.0], False),
        ([0.5, 0.5, 0.5, 0.5], False),
        ([1.0, 0.0], True),
        ([0.5, 0.5, 0.5, 0.51], True),
        ([0.5, 0.5 + 1e-4], False),
        ([0.1 + 0.2, 0.3], False),
    ],
)
def test_a_group_lives_by_its_variance(success_G: list[float], alive: bool) -> None:
    assert Variance().admit(success_G) is alive


def test_the_tolerance_is_a_variance() -> None:
    gate = Variance(VarianceConfig(tolerance=0.25))
    assert not gate.admit([1.0, 0.0])
    assert Variance(VarianceConfig(tolerance=0.2499)).admit([1.0, 0.0])
