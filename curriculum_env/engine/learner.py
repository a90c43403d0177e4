"""Groups become beliefs, and can be taken back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from curriculum_env.estimators import Estimator

Scores = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What `row` was believed before it was taught `scores`, the last of them number `last`."""

    row: int
    before: tuple[float, ...]
    scores: Scores

    @property
    def last(self) -> int:
        return self.scores[-1][0]


class Learner:
    """Teaches an estimator group by group, keeps its clock of policy updates (`batch_groups`
    groups each) and a journal of the last lessons."""

    def __init__(self, estimator: Estimator, batch_groups: int, memory: int) -> None:
        self.estimator = estimator
        self._batch_groups = batch_groups
        self._taught = 0
        self._journal: deque[_Lesson] = deque(maxlen=memory)

    def teach(self, row: int, scores: Scores) -> None:
        """Learn one group of (outcome number, success), by rising number, at least one."""
        self._journal.append(_Lesson(row, self.estimator.get(row), scores))
        self.estimator.update(row, [success for _, success in scores])
        self._tick(+1)

    def unlearn(self, since: int) -> int:
        """Take back the outcomes from number `since` on, and return how many lessons that
        touched: beliefs are as if those outcomes had never come."""
        undone: list[_Lesson] = []
        while self._journal and self._journal[-1].last >= since:
            lesson = self._journal.pop()
            self.estimator.put(lesson.row, lesson.before)
            self._tick(-1)
            undone.append(lesson)
        for lesson in reversed(undone):
            kept = [score for score in lesson.scores if score[0] < since]
            if kept:
                self.teach(lesson.row, kept)
        return len(undone)

    def _tick(self, lessons: int) -> None:
        self._taught += lessons
        self.estimator.now = self._taught / self._batch_groups

    def state_dict(self, uid: Callable[[int], str]) -> dict[str, Any]:
        journal = [[uid(lesson.row), lesson.before, lesson.scores] for lesson in self._journal]
        return {"taught": self._taught, "journal": journal}

    def load_state_dict(self, state: dict[str, Any], row: Callable[[str], int | None]) -> None:
        self._taught = state["taught"]
        self._tick(0)
        for uid, before, scores in state["journal"]:
            found = row(uid)
            if found is not None:
                pairs = [(number, success) for number, success in scores]
                self._journal.append(_Lesson(found, tuple(before), pairs))
