"""A rule from outside that fails: at once it is refused, in mid-run drawing goes on evenly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curriculum_env import Curriculum, CurriculumConfig
from curriculum_env.samplers import Choice, Sampler, View
from tests.engine.helpers import rows

BAD: dict[str, Any] = {
    "raises": RuntimeError("no rows today"),
    "out of range": Choice(np.array([999]), np.array([1.0])),
    "floats": Choice(np.array([0.5]), np.array([1.0])),
    "no propensities": Choice(np.array([1, 2]), np.array([1.0])),
    "a list": [1, 2, 3],
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


@pytest.mark.parametrize("kind", list(BAD))
def test_at_the_first_draw_it_is_refused(kind: str) -> None:
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        opened(kind, fine=0).ask()
