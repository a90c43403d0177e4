"""What one jail allows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Settings:
    """Bounds on everything the candidate's processes may use; sizes are in bytes.

    `isolation` is "require" (namespaces, or nothing runs) or "accept" (namespaces where there are
    some). `disk` is what `/tmp` may hold, and the size of a single file.
    """

    isolation: str
    memory: int
    disk: int
    output: int
    processes: int

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        return cls(**json.loads(text))
