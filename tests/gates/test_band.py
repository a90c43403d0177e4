from __future__ import annotations

import pytest
from pydantic import ValidationError

from curriculum_env.config import CurriculumConfig
from curriculum_env.gates import BandGate, BandGateConfig, Gate, Variance, build_gate


@pytest.mark.parametrize(
    ("success_G", "admitted"),
    [
        ([1.0, 0.0, 0.0, 0.0], True),
        ([1.0] * 3 + [0.0], True),
        ([1.0] + [0.0] * 15, False),
        ([1.0] * 15 + [0.0], False),
        ([0.0] * 8, False),
        ([1.0] * 8, False),
        ([0.5] * 8, False),
        ([1.0], True),
        ([], False),
    ],
)
def test_a_mean_inside_and_rewards_that_differ(success_G: list[float], admitted: bool) -> None:
    assert BandGate().admit(success_G) is admitted


def test_the_edges_are_inside() -> None:
    gate = BandGate(BandGateConfig(low=0.25, high=0.75))
    assert gate.admit([1.0, 0.0, 0.0, 0.0])
    assert gate.admit([1.0, 1.0, 1.0, 0.0])


def test_edges_must_rise() -> None:
    with pytest.raises(ValidationError, match="set low <= high"):
        BandGateConfig(low=0.9, high=0.1)


@pytest.mark.parametrize(("kind", "gate"), [("band", BandGate), ("variance", Variance)])
def test_the_engine_takes_either(kind: str, gate: type[Gate]) -> None:
    config = CurriculumConfig.model_validate({"gate": {"type": kind}})
    assert isinstance(build_gate(config.gate), gate)
