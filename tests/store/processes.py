"""Programs that tests run in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PREAMBLE = """
import os, sys, time
from curriculum_env.store import open_store
from curriculum_env.types import Draw, Outcome
url = sys.argv[1]
"""


@contextmanager
def running(program: str, url: str) -> Iterator[subprocess.Popen[str]]:
    """Start `program`, wait for its first line, and kill it in the end if it still runs."""
    command = [sys.executable, "-c", PREAMBLE + program, url]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def run(program: str, url: str) -> str:
    """What `program` prints."""
    command = [sys.executable, "-c", PREAMBLE + program, url]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout
