"""One worker process seen from its parent: started, asked, and killed when it is late."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from curriculum_env.errors import CheckerError

_ROOT = Path(__file__).parents[3]
_MODULE = f"{__package__}.worker"
_START_SECONDS = 60.0
_GRACE_SECONDS = 0.25


_LOOK_AGAIN = 0.1
_CLOCK_SECONDS = 3.0
_STUCK_SECONDS = 60.0
_STARTS = 3


class LateError(Exception):
    """A worker gave no answer in time; it has been killed."""


class DiedError(Exception):
    """A worker died over a check, or before it."""


class Process:
    """A worker that reads one check at a time. Not for use by two threads at once.

    `memory` is what it may take, in bytes.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._popen: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._ready = False

    def start(self) -> None:
        """Begin to load the worker, without waiting for it.

        Raises:
            OSError: the system gives no more processes or files.
        """
        self._pipe, child = Pipe()
        with child:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", _MODULE, str(child.fileno()), str(self._memory)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[child.fileno()],
                env=os.environ | {"PYTHONPATH": _path()},
                start_new_session=True,
            )

    def ask(self, request: dict[str, Any], seconds: float) -> Any:
        """The worker's reply to `request`, which it is told to give within `seconds`
        of processor time.

        Raises:
            LateError: it gave none, not even a moment after its time.
            DiedError: it died.
            CheckerError: it could not be started at all.
        """
        pipe = self.loaded()
        try:
            pipe.send_bytes(json.dumps(request | {"seconds": seconds}).encode())
            if self._answers(pipe, seconds):
                return json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            self.kill()
            raise DiedError from None
        self.kill()
        raise LateError

    def _answers(self, pipe: Connection, seconds: float) -> bool:
        """Wait for a reply; False once the worker has had its time.

        Time is the processor's, so that a busy machine makes no answer wrong. After three times as
        long by the clock, four tenths of it will do.
        """
        assert self._popen is not None
        pid, began = self._popen.pid, time.monotonic()
        before = _processor_seconds(pid)
        while not pipe.poll(_LOOK_AGAIN):
            used, passed = _processor_seconds(pid) - before, time.monotonic() - began
            late = used > 0.4 * seconds and passed > min(3 * seconds, _CLOCK_SECONDS)
            if used > seconds + _GRACE_SECONDS or late or passed > _STUCK_SECONDS:
                return False
        return True

    def loaded(self) -> Connection:
        """The pipe to a worker that has loaded its libraries: its time counts from then on.

        Raises:
            CheckerError: it could not be started, three times in a row.
        """
        code = None
        for _ in range(_STARTS):
            with suppress(EOFError, OSError):
                if self._pipe is None:
                    self.start()
                assert self._pipe is not None
                if not self._ready:
                    self._ready = self._pipe.poll(_START_SECONDS) and bool(self._pipe.recv_bytes())
                if self._ready:
                    return self._pipe
            code = self.kill()
        raise CheckerError(
            f"a worker of the math rubric ended with code {code} before it was ready; "
            f"run `{sys.executable} -m {_MODULE}` to see whether it can be imported."
        )

    def kill(self) -> int | None:
        """End the worker, whatever it is doing; its exit code, None when there was none."""
        if self._pipe is not None:
            self._pipe.close()
        code = None
        if self._popen is not None:
            self._popen.kill()
            code = self._popen.wait()
        self._popen = self._pipe = None
        self._ready = False
        return code


def _processor_seconds(pid: int) -> float:
    """What a process has spent, by the clock that Linux keeps for it (clock_getcpuclockid(3));
    elsewhere the time of day."""
    if sys.platform != "linux":
        return time.monotonic()
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:  # it has just ended
        return 0.0


def _path() -> str:
    """What a worker imports from: where this package was found, then what its parent was given."""
    given = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(_ROOT), *([given] if given else [])])
