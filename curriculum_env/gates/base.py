"""What a gate promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Gate(Protocol):
    """Decides which graded groups are worth training on."""

    def admit(self, success_G: Sequence[float]) -> bool:
        """Whether to train on a group with these successes in [0, 1]; an empty one never."""
