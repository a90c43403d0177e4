"""A programming problem, whatever it was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from curriculum_env import Case, Row, content_uid


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked, the hidden tests, and a solution where one is known.

    `function` is what the tests call; empty where they run a whole program.
    """

    name: str
    question: str
    cases: tuple[Case, ...]
    function: str = ""
    solution: str = ""
    topic: str = ""
    level: str = ""

    def row(self) -> Row:
        """The problem as a row; its uid is the hash of question and tests, so a better solution
        does not make it another problem."""
        cases = [case.model_dump(mode="json") for case in self.cases]
        return Row(
            uid=content_uid({"question": self.question, "cases": cases}),
            data=self._data(cases),
            domain=self.topic,
            level=self.level,
            features={"level": self.level, "topic": self.topic, "function": bool(self.function)},
        )

    def _data(self, cases: list[Any]) -> dict[str, Any]:
        return {
            "question": self.question,
            "cases": cases,
            "function": self.function,
            "solution": self.solution,
        }


def hardest(cases: tuple[Case, ...], most: int) -> tuple[Case, ...]:
    """At most `most` of the cases, those with the longest inputs, in their order (as DeepCoder
    picks its tests)."""
    if len(cases) <= most:
        return cases
    sizes = [len(case.model_dump_json()) for case in cases]
    kept = sorted(range(len(cases)), key=lambda index: -sizes[index])[:most]
    return tuple(cases[index] for index in sorted(kept))
