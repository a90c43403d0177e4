"""One warning where a run would print the same a thousand times."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field

_NEVER = "curriculum_env.engine"


@dataclass
class Folding:
    """A filter for a log handler: passes the first warning of each line of code and counts the
    others. The engine's warnings all pass: it says each once."""

    first: dict[tuple[str, int], str] = field(default_factory=dict)
    more: Counter[tuple[str, int]] = field(default_factory=Counter)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be shown."""
        if record.name.startswith(_NEVER):
            return True
        place = (record.pathname, record.lineno)
        if place in self.first:
            self.more[place] += 1
            return False
        self.first[place] = record.getMessage()
        return True

    def summary(self) -> list[str]:
        """One line for each warning that came again: how often, and its beginning."""
        return [f"{count} more like: {self.first[place]}" for place, count in self.more.items()]
