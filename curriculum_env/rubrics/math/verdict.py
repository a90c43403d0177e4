"""What a check finds out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["correct", "wrong", "no answer", "unreadable", "too costly", "out of time"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`correct` is the reward; the rest says why.

    `no answer`: the completion commits itself to none. `too costly`: the answer is longer, deeper
    or larger than any honest one. `unreadable`: it broke the reader. `out of time`: comparing it
    took too long. `answer` is the text that was taken as the answer.
    """

    status: Status
    answer: str | None = None

    @property
    def correct(self) -> bool:
        """Whether the answer is the gold one."""
        return self.status == "correct"

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GoldProblem:
    """A gold answer that no completion could be measured against: where it stands, and why."""

    index: int
    gold: str
    reason: str
