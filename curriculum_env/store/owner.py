"""Who owns a store, and whether that process still lives."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from uuid import uuid4
from weakref import WeakValueDictionary

from curriculum_env.errors import OwnerError
from curriculum_env.store.base import Store

STALE_AFTER = 60.0
"""Seconds without a heartbeat after which an owner on another machine counts as dead."""

_held: WeakValueDictionary[str, Store] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class Owner:
    """A claim on a store. `machine` tells apart boots and process-id namespaces, so that a `pid`
    is only ever looked up where it means something; `process_start` tells apart two processes
    that were given the same `pid`. `acquired` and `heartbeat` are Unix seconds."""

    token: str
    host: str
    machine: str
    pid: int
    process_start: str
    acquired: float
    heartbeat: float

    @classmethod
    def claim(cls, store: Store, now: float) -> Owner:
        """A new claim of this process through `store`; it ends when `store` is collected."""
        token = uuid4().hex
        _held[token] = store
        pid = os.getpid()
        start = process_start(pid) or ""
        return cls(token, platform.node(), machine(), pid, start, now, now)

    def alive(self, now: float) -> bool:
        """Whether the owner lives: by the process table on its own machine, by its heartbeat
        anywhere else."""
        if self.machine != machine():
            return now - self.heartbeat < STALE_AFTER
        if process_start(self.pid) != self.process_start:
            return False
        return self.pid != os.getpid() or self.token in _held

    def mine(self) -> bool:
        """False in a child that inherited the claim through a fork."""
        return self.pid == os.getpid()

    def beat(self, now: float) -> Owner:
        return replace(self, heartbeat=now)

    def describe(self, now: float) -> str:
        return (
            f"process {self.pid} on {self.host} (for {now - self.acquired:.0f} s, "
            f"last heartbeat {now - self.heartbeat:.0f} s ago)"
        )


@cache
def machine() -> str:
    """One boot of one machine, seen from one process-id namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    if not boot.exists():
        return platform.node()
    return f"{boot.read_text().strip()}/{os.readlink('/proc/self/ns/pid')}"


def process_start(pid: int) -> str | None:
    """When process `pid` of this machine started, as an opaque text; None when it is gone (a
    zombie is gone)."""
    if Path("/proc/self/stat").exists():
        return _process_start_linux(pid)
    result = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return result.stdout.strip() or None


def _process_start_linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *rest = stat.rpartition(")")[2].split()  # the name before ")" may hold spaces
    return None if state in "ZX" else rest[18]


def refusal(url: str, owner: Owner, now: float) -> OwnerError:
    """What to tell who asks for a store that `owner` holds."""
    return OwnerError(
        f"The store {url} belongs to {owner.describe(now)}: stop that process or close its "
        "curriculum, or give this curriculum a store of its own."
    )


def lost(url: str, owner: Owner | None, now: float) -> OwnerError:
    """What to tell who writes draws without being the owner."""
    holder = f"it belongs to {owner.describe(now)}" if owner else "nobody owns it"
    return OwnerError(
        f"This process does not own the store {url} ({holder}): call acquire() before writing "
        "draws, and run one curriculum per store."
    )
