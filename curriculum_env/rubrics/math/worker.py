"""A worker process: `python -m curriculum_env.rubrics.math.worker DESCRIPTOR BYTES`.

It answers one request after the other over the pipe it inherited, and ends with its parent. Two
timers on processor time bound each request: one that Python sees, and one that ends the process
even within a single long operation on big integers, whether or not a parent is there to do so.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from curriculum_env.rubrics.math.verdict import Verdict

UNREADABLE = Verdict("unreadable")
_RINGS_AGAIN = 0.25  # seconds until the alarm rings again, should a library have swallowed it
_HARD_SECONDS = 2.0  # of processor time beyond the request's own


class _OutOfTimeError(BaseException):
    """Not an `Exception`, which the libraries catch."""


def _ring(*_: object) -> NoReturn:
    raise _OutOfTimeError


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """The reply to a request, within its seconds; None when they ran out."""
    seconds = request["seconds"]
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds + _HARD_SECONDS)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _RINGS_AGAIN)
        try:
            return _reply(request)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _OutOfTimeError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _reply(request: dict[str, Any]) -> dict[str, Any]:
    """What a check or a look at a gold answer finds; a reader that breaks has read nothing."""
    from curriculum_env.rubrics.math.judge import gold_problem, judge

    try:
        if "text" in request:
            return judge(request["gold"], request["text"], request["prompt"]).as_dict()
        return {"problem": gold_problem(request["gold"])}
    except MemoryError:
        raise
    except Exception:
        return UNREADABLE.as_dict() if "text" in request else {"problem": "cannot be read"}


def _limit(memory: int) -> None:
    with suppress(ValueError, OSError):  # macOS refuses
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def serve(pipe: Connection, steps: Iterator[None]) -> None:
    """Answer until the parent is gone, and warm up by `steps` while there is nothing to do."""
    while True:
        while not pipe.poll(0) and next(steps, True) is None:
            pass
        try:
            request = json.loads(pipe.recv_bytes())
        except EOFError:
            return
        pipe.send_bytes(json.dumps(answer(request)).encode())


def main() -> None:
    """Load the libraries, say so, serve."""
    signal.signal(signal.SIGVTALRM, _ring)
    from curriculum_env.rubrics.math.warming import warming

    if len(sys.argv) < 3:
        sys.exit("expected a descriptor and a number of bytes: this is started by MathChecker")
    descriptor, memory = map(int, sys.argv[1:3])
    _limit(memory)
    steps = warming()
    next(steps)
    pipe = Connection(descriptor)
    pipe.send_bytes(b"ready")
    with suppress(BrokenPipeError, MemoryError):
        serve(pipe, steps)


if __name__ == "__main__":
    main()
