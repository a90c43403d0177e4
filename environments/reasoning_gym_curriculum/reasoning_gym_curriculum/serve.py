"""What the process of `process.py` runs: requests in, replies out, until its parent is gone."""

from __future__ import annotations

import json
import math
import resource
import signal
import sys
from typing import Any

from reasoning_gym_curriculum import confined
from reasoning_gym_curriculum.families import families
from reasoning_gym_curriculum.process import connect

GRACE = 2
"""Seconds after which the process ends itself, should its parent not be there to do so."""


def main(descriptor: int, memory: int) -> None:
    """Load reasoning-gym, then answer."""
    families()
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    pipe = connect(descriptor)
    pipe.send_bytes(b"true")
    while True:
        try:
            request = json.loads(pipe.recv_bytes())
        except EOFError:
            return
        pipe.send_bytes(json.dumps(_answer(request)).encode())


def _answer(request: dict[str, Any]) -> Any:
    signal.alarm(math.ceil(request["seconds"]) + GRACE)
    try:
        return getattr(confined, request["function"])(*request["arguments"])
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
