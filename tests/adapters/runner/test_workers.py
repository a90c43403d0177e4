"""What a worker process does when its destructors are in the way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import signal, sys, time
from curriculum_env.adapters.verifiers.runner.workers import log_to

signal.signal(signal.SIGINT, signal.SIG_IGN)
log_to(sys.argv[1])

class Held:
    def __del__(self):
        raise {error}

try:
    Held()
    time.sleep({seconds})
    print("slept")
except KeyboardInterrupt:
    print("ended")
"""


@pytest.mark.parametrize(
    ("error", "seconds", "printed"),
    [("KeyboardInterrupt", 20, "ended"), ("OSError(5)", 0, "slept")],
)
def test_a_destructor_neither_keeps_a_worker_nor_writes_to_the_terminal(
    error: str, seconds: int, printed: str, tmp_path: Path
) -> None:
    log = tmp_path / "workers.log"
    script = SCRIPT.format(error=error, seconds=seconds)
    ended = subprocess.run(
        [sys.executable, "-c", script, log], capture_output=True, text=True, timeout=60
    )
    assert (ended.stdout.strip(), ended.stderr) == (printed, "")
    assert ("OSError: 5" in log.read_text()) == (printed == "slept")
