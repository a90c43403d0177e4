"""A process of its own for reasoning-gym: bounded in memory, and killed when it is late.

Generators and scorers may search for ever on some inputs, and cannot be interrupted from within.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from multiprocessing.connection import Connection, Pipe
from typing import Any

MODULE = f"{__package__}.serve"
START_SECONDS = 180.0
MEMORY = 4 * 2**30
"""Bytes of address space it may have."""


class LateError(Exception):
    """The process gave no reply in time, or died over it; it has been killed."""


class Process:
    """Answers one request at a time; for use by one thread. It ends with its parent."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-m", MODULE, str(theirs.fileno()), str(MEMORY)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_environment(),
                start_new_session=True,
            )
        atexit.register(self.kill)
        try:
            self._reply(START_SECONDS)
        except LateError as error:
            raise RuntimeError(
                f"reasoning-gym's process did not start (exit code {self._popen.returncode}): run "
                f"`{sys.executable} -m {MODULE}` to see why."
            ) from error

    def ask(self, function: str, arguments: list[Any], seconds: float) -> Any:
        """What `function` of `confined` makes of the arguments.

        Raises:
            LateError: there was no reply within `seconds`.
        """
        request = {"function": function, "arguments": arguments, "seconds": seconds}
        try:
            self._pipe.send_bytes(json.dumps(request).encode())
        except OSError:
            self.kill()
            raise LateError(f"{function} {arguments} found no process") from None
        return self._reply(seconds)

    def _reply(self, seconds: float) -> Any:
        try:
            if self._pipe.poll(seconds):
                return json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError):
            pass
        self.kill()
        raise LateError(f"no reply within {seconds:g} seconds")

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        atexit.unregister(self.kill)
        self._popen.kill()
        self._popen.wait()
        self._pipe.close()


def _environment() -> dict[str, str]:
    """The same modules as here, and the same order of sets in every process: some tasks depend on
    it."""
    paths = os.pathsep.join(filter(None, sys.path))
    return os.environ | {"PYTHONPATH": paths, "PYTHONHASHSEED": "0"}


def connect(descriptor: int) -> Connection:
    """The process's own end of the pipe."""
    return Connection(descriptor)
