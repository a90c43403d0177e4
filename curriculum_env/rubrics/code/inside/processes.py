"""Ends and measures every process below this one."""

from __future__ import annotations

import contextlib
import os
import signal
import time

PAGE = os.sysconf("SC_PAGE_SIZE")
PATIENCE = 10.0


def others() -> list[int]:
    """The processes below this one: in a namespace of its own all but itself."""
    parents = {pid: parent for pid in _numbers() if (parent := _parent(pid)) is not None}
    me, below = os.getpid(), set[int]()
    while grown := {p for p, parent in parents.items() if parent == me or parent in below} - below:
        below |= grown
    return list(below)


def usage() -> tuple[int, int]:
    """How many those are, and the resident bytes they hold, without what is shared."""
    total, found = 0, others()
    for pid in found:
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm") as f:
            _, resident, shared = map(int, f.read().split()[:3])
            total += (resident - shared) * PAGE
    return len(found), total


def end_all() -> dict[int, int]:
    """Kill every process below this one, wait for each; the wait status by process.

    As the init of a namespace (process 1), or as a subreaper, this process inherits whatever
    tried to get away. A loop, as a fork may outrun the first signal.
    """
    ended: dict[int, int] = {}
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        _kill_all()
        try:
            while (found := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                ended[found[0]] = found[1]
        except ChildProcessError:
            return ended
        time.sleep(0.001)
    return ended


def _kill_all() -> None:
    if os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        return
    for pid in others():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _numbers() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _parent(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
