"""The curriculum of a training run: the main process owns it, all processes draw from it."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from accelerate import PartialState

from curriculum_env.adapters.trl.rank_zero import from_rank_zero
from curriculum_env.adapters.trl.rubric import Grade
from curriculum_env.engine import Curriculum
from curriculum_env.types import Outcome, Row

SYNC_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """One group to be generated: the draw's number, its row, and the prompt of its task."""

    number: int
    row: Row
    prompt: Any


class SharedCurriculum:
    """Calls are collective: every process makes them in the same order. `engine` is None in all
    processes but the main one. An error there is raised in all of them."""

    def __init__(self, opened: Callable[[], Curriculum], prompt: Callable[[Row], Any]) -> None:
        self._prompt = prompt
        self.engine: Curriculum | None = None
        from_rank_zero(lambda: self._open(opened))

    def _open(self, opened: Callable[[], Curriculum]) -> None:
        self.engine = opened()
        weakref.finalize(self, self.engine.close)

    def draw(self, groups: int) -> list[Drawn]:
        """The next draws, the same in every process; they have seen every outcome told."""
        return from_rank_zero(lambda: [self._drawn() for _ in range(groups)])

    def _drawn(self) -> Drawn:
        engine = self._engine()
        draw = engine.ask()
        row = engine.row(draw.uid)
        return Drawn(draw.number, row, self._prompt(row))

    def tell(self, grades: Sequence[Grade]) -> dict[str, float]:
        """Feed back what the rollouts of all processes earned, in their order; returns the metrics.
        `grades` is the same in every process."""
        return from_rank_zero(lambda: self._tell(grades))

    def _tell(self, grades: Sequence[Grade]) -> dict[str, float]:
        engine, now, counts = self._engine(), time.time(), dict[int, int]()
        for grade in grades:
            assert grade.draw is not None
            place = counts[grade.draw] = counts.get(grade.draw, -1) + 1
            engine.tell(
                Outcome(
                    grade.draw, grade.uid, f"trl-{grade.draw}-{place}", grade.reward, grade.status,
                    tokens=grade.tokens, turns=1, time=now,
                )
            )  # fmt: skip
        engine.sync(SYNC_SECONDS)
        return engine.metrics()

    def tell_heldout(self, accuracy: float) -> None:
        """Tell the rule how the policy fares on the held-out split."""
        from_rank_zero(lambda: self._engine().tell_heldout(accuracy))

    def state(self) -> dict[str, Any] | None:
        """What `load` goes on from, in the main process; None in the others."""
        return self.engine.state_dict() if self.engine is not None else None

    def load(self, read: Callable[[], dict[str, Any]]) -> None:
        """Go on from the state that `read` finds in the main process."""
        from_rank_zero(lambda: self._engine().load_state_dict(read()))

    def close(self) -> None:
        """Give the store up; idempotent."""
        if self.engine is not None:
            self.engine.close()

    def _engine(self) -> Curriculum:
        assert PartialState().is_main_process
        assert self.engine is not None
        return self.engine
