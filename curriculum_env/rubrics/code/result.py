"""What became of each test, and what that is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Status: TypeAlias = Literal[
    "passed",
    "wrong",
    "error",
    "timeout",
    "memory",
    "processes",
    "output",
    "lost",
    "untestable",
    "skipped",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One test's end.

    `wrong`: another answer, or none. `error`: it raised, or left with another exit code than 0.
    `timeout`, `memory`, `processes`, `output`: it went beyond that bound. `lost`: the place it
    ran in is gone.
    `untestable`: the test itself asks for what cannot leave a process. `skipped`: no time was
    left, or an earlier test had failed already.
    """

    status: Status
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CodeResult:
    """The verdicts, in the order of the tests."""

    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> int:
        """How many tests passed."""
        return sum(verdict.status == "passed" for verdict in self.verdicts)

    @property
    def all_passed(self) -> float:
        """1.0 if every test passed, else 0.0."""
        return float(self.passed == len(self.verdicts))

    @property
    def fraction(self) -> float:
        """The share of the tests that passed, in [0, 1]."""
        return self.passed / len(self.verdicts)

    @property
    def failure(self) -> Verdict | None:
        """The first test that did not pass."""
        return next((verdict for verdict in self.verdicts if verdict.status != "passed"), None)
