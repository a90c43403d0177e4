from __future__ import annotations

import logging

import pytest

from curriculum_env import CurriculumConfig
from tests.engine.helpers import curriculum, outcomes


@pytest.mark.parametrize("size", [1, 4, 8, 16])
def test_an_unset_size_is_inferred(size: int) -> None:
    engine = curriculum(200, group_size=None)
    assert engine.group_size is None
    draws = [engine.ask() for _ in range(40)]
    for start in range(0, 40, 4):
        batch = [outcomes(draw, [1.0, 0.0] * size)[:size] for draw in draws[start : start + 4]]
        for turn in range(size):
            for group in batch:
                engine.tell(group[turn])
    for draw in [engine.ask() for _ in range(70)]:
        for outcome in outcomes(draw, [1.0] * size):
            engine.tell(outcome)
    assert engine.group_size == size
    assert engine.metrics()["in_flight"] == 0
    assert engine.metrics()["groups"] == 110


def test_retries_do_not_mislead_it() -> None:
    engine = curriculum(200, group_size=None)
    for number in range(40):
        draw = engine.ask()
        rewards: list[float | None] = [1.0] * 8
        if number % 3 == 0:
            rewards.insert(2, None)
        for outcome in outcomes(draw, rewards):
            engine.tell(outcome)
    assert engine.group_size == 8


@pytest.mark.parametrize(("configured", "warned"), [(8, False), (4, True), (16, True)])
def test_a_size_that_differs_from_what_comes_is_warned_about(
    configured: int, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    engine = curriculum(200, group_size=configured)
    with caplog.at_level(logging.WARNING):
        for _ in range(120):
            draw = engine.ask()
            for outcome in outcomes(draw, [1.0, 0.0] * 4):
                engine.tell(outcome)
    assert (
        f"group_size is configured as {configured} but most draws get 8 rollouts" in caplog.text
    ) is warned
    assert engine.group_size == 8


def test_a_trainer_that_changes_its_group_size_is_followed() -> None:
    engine = curriculum(500, group_size=None)
    for size in (8, 4):
        for _ in range(200):
            draw = engine.ask()
            for outcome in outcomes(draw, [1.0, 0.0] * (size // 2)):
                engine.tell(outcome)
        assert engine.group_size == size
    assert engine.metrics()["in_flight"] < 16


def test_a_size_of_nought_is_refused() -> None:
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        CurriculumConfig(group_size=0)
