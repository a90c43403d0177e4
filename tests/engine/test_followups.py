"""Groups in two phases: screened, then continued."""

from __future__ import annotations

from pathlib import Path

import pytest

from curriculum_env import Curriculum, CurriculumConfig, Draw
from curriculum_env.errors import RewardError
from curriculum_env.samplers import Choice, Followup, Sampler, View
from curriculum_env.types import Group
from tests.engine.helpers import outcomes, rows


class Screen(Sampler):
    """Screens every row with 4 rollouts and continues a mixed one with 3 more."""

    explores = False

    def __init__(self) -> None:
        self._mixed: list[Followup] = []
        self.groups: list[Group] = []
        self.accuracies: list[float] = []

    def select(self, n: int, view: View) -> Choice:
        rows_K, propensity_K = view.choose_evenly(n)
        return Choice(rows_K, propensity_K, 0 * rows_K + 4)

    def observe(self, group: Group) -> None:
        self.groups.append(group)
        if group.alive and len(group.success_G) == 4:
            self._mixed.append(Followup(group.row, 3, group.draw))

    def followups(self) -> list[Followup]:
        mixed, self._mixed = self._mixed, []
        return mixed

    def heldout(self, accuracy: float) -> None:
        self.accuracies.append(accuracy)


SETTINGS = {
    "group_size": 8,
    "sampler": {"type": "custom", "class_path": "tests.engine.test_followups:Screen"},
}


def opened(store: str | None = None) -> Curriculum:
    return Curriculum(rows(60), CurriculumConfig.model_validate(SETTINGS), store)


def screened(engine: Curriculum, rewards: list[float]) -> Draw:
    draw = engine.ask()
    assert (draw.rollouts, draw.continues) == (4, None)
    for outcome in outcomes(draw, list(rewards)):
        engine.tell(outcome)
    engine.sync(5.0)
    return draw


def test_a_mixed_group_is_continued_first_and_a_sure_one_never() -> None:
    engine = opened()
    screened(engine, [0.0] * 4)
    mixed = screened(engine, [1.0, 0.0, 0.0, 1.0])
    more = engine.ask()
    assert (more.uid, more.rollouts, more.continues) == (mixed.uid, 3, mixed.number)
    assert engine.ask().continues is None
    for outcome in outcomes(more, [1.0] * 3):
        engine.tell(outcome)
    sampler = engine.sampler
    assert isinstance(sampler, Screen)
    assert [len(group.success_G) for group in sampler.groups] == [4, 4, 3]
    assert engine.metrics()["in_flight"] == 1
    assert engine.ask().continues is None


def test_a_continuation_goes_through_the_state() -> None:
    engine = opened()
    mixed = screened(engine, [1.0, 0.0, 0.0, 1.0])
    engine._followups.add(engine.sampler.followups())
    other = opened()
    other.load_state_dict(engine.state_dict())
    assert other.ask().continues == mixed.number
    assert other.ask().continues is None


def test_a_continuation_is_logged_and_made_once_whoever_resumes(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'c.db'}"
    with opened(url) as engine:
        first = screened(engine, [1.0, 0.0, 0.0, 1.0])
        more = engine.ask()
        assert more.continues == first.number
        second = screened(engine, [1.0, 0.0, 0.0, 1.0])
    with opened(url) as other:
        assert [other.ask() for _ in range(3)] == [first, more, second]
        for outcome in outcomes(more, [1.0] * 3):
            other.tell(outcome)
        other.sync(5.0)
        assert other.metrics()["groups"] == 3
        assert other.ask().continues == second.number
        assert other.ask().continues is None


def test_the_heldout_accuracy_reaches_the_rule_now_and_after_a_resume(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'c.db'}"
    with opened(url) as engine:
        for accuracy in (0.25, 0.5):
            engine.tell_heldout(accuracy)
        assert engine.sampler.accuracies == [0.25, 0.5]  # type: ignore[attr-defined]
        with pytest.raises(RewardError, match="expected a number in"):
            engine.tell_heldout(float("nan"))
    with opened(url) as other:
        assert other.sampler.accuracies == [0.25, 0.5]  # type: ignore[attr-defined]
