"""A rule from outside that fails: at once it is refused, in mid-run drawing goes on evenly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.errors import ConfigError
from curriculum_env.samplers import Choice, Sampler, ScoreSampler, View
from curriculum_env.types import FloatArray
from tests.engine.helpers import curriculum, outcomes, rows

BAD: dict[str, Any] = {
    "raises": RuntimeError("no rows today"),
    "out of range": Choice(np.array([999]), np.array([1.0])),
    "floats": Choice(np.array([0.5]), np.array([1.0])),
    "no propensities": Choice(np.array([1, 2]), np.array([1.0])),
    "a list": [1, 2, 3],
    "a propensity of 2": Choice(np.array([1, 2]), np.array([1.0, 2.0])),
    "a propensity that is no number": Choice(np.array([1, 2]), np.array([1.0, np.nan])),
    "fewer than no rollouts": Choice(np.array([1, 2]), np.ones(2), np.array([8, -2])),
    "half a rollout": Choice(np.array([1, 2]), np.ones(2), np.array([8, 2.5])),
    "rollouts for one of two": Choice(np.array([1, 2]), np.ones(2), np.array([8])),
}


class Failing(Sampler):
    def __init__(self, kind: str, fine: int) -> None:
        self.kind, self.fine = kind, fine

    def select(self, n: int, view: View) -> Choice:
        self.fine -= 1
        if self.fine >= 0:
            return Choice(*view.choose_evenly(n))
        found = BAD[self.kind]
        if isinstance(found, Exception):
            raise found
        return found  # type: ignore[no-any-return]


def opened(kind: str, fine: int) -> Curriculum:
    class_path = "tests.engine.test_failing_rule:Failing"
    sampler = {"type": "custom", "class_path": class_path, "args": {"kind": kind, "fine": fine}}
    settings = {"group_size": 4, "refresh": 4, "explore": 0.0, "sampler": sampler}
    return Curriculum(rows(50), CurriculumConfig.model_validate(settings))


@pytest.mark.parametrize("kind", list(BAD))
def test_in_mid_run_rows_are_drawn_evenly(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    engine = opened(kind, fine=2)
    drawn = [engine.ask().uid for _ in range(20)]
    assert len(set(drawn)) > 10
    assert "the rule Failing failed" in caplog.text


class Lists(Sampler):
    """Plain lists are as good as arrays."""

    def select(self, n: int, view: View) -> Choice:
        rows = [] if view.draw % 3 == 2 else np.flatnonzero(view.available_N)[:n].tolist()
        lists: list[Any] = [rows, [0.5] * len(rows), [6] * len(rows)]
        return Choice(*lists)


SCORES: dict[str, Callable[[int], Any]] = {
    "one too few": lambda size: np.ones(size - 1),
    "a column": lambda size: np.ones((size, 1)),
    "nothing": lambda size: None,
    "one for all": lambda size: 1.0,
    "half the pool": lambda size: np.arange(size) < size // 2,
}


class Scores(ScoreSampler):
    def __init__(self, kind: str) -> None:
        self.kind = kind

    def score(self, view: View) -> FloatArray:
        score_N: FloatArray = SCORES[self.kind](view.size)
        return score_N


def custom(name: str, pool: int = 50, **settings: Any) -> Curriculum:
    path, args = f"tests.engine.test_failing_rule:{name}", settings.pop("args", {})
    sampler = {"type": "custom", "class_path": path, "args": args}
    return curriculum(pool, explore=0.0, sampler=sampler, **settings)


def test_a_rule_may_give_lists(caplog: pytest.LogCaptureFixture) -> None:
    engine = custom("Lists", refresh=4)
    drawn = [engine.ask() for _ in range(20)]
    assert "failed" not in caplog.text
    assert {draw.rollouts for draw in drawn} >= {6}


@pytest.mark.parametrize("kind", list(SCORES)[:-1])
def test_scores_of_another_shape_are_refused(kind: str) -> None:
    with pytest.raises(ConfigError, match=r"of shape \(.*\); expected one for each row, \(50,\)"):
        custom("Scores", args={"kind": kind}).ask()


def test_rows_used_up_wait_for_those_that_the_rule_passes_over() -> None:
    engine = custom("Scores", 20, args={"kind": "half the pool"}, max_reuse=2, cooldown=0)
    drawn = Counter[str]()
    for _ in range(40):
        draw = engine.ask()
        drawn[draw.uid] += 1
        for outcome in outcomes(draw, [1.0, 0.0] * 4):
            engine.tell(outcome)
    assert set(drawn.values()) == {2}


@pytest.mark.parametrize("kind", list(BAD))
def test_at_the_first_draw_it_is_refused(kind: str) -> None:
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        opened(kind, fine=0).ask()
