"""What a process gives up before it runs code that nobody trusts."""

from __future__ import annotations

import math
import os
import resource
import signal

from . import kernel, seccomp
from .settings import Settings

OPEN_FILES = 64


def limit(settings: Settings, seconds: float) -> None:
    """Bound processor time, memory, files and processes of this process and its children."""
    cpu = math.ceil(seconds) + 1
    for what, most in (
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_AS, settings.memory),
        (resource.RLIMIT_FSIZE, settings.disk),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_NPROC, settings.processes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (bound, bound))


def surrender(uid: int | None, *, signals: bool) -> None:
    """Give up the user (if `uid` is another), all capabilities and the refused system calls,
    among them the sending of `signals` where they would reach others.

    Raises:
        OSError: the kernel does not let go.
    """
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    kernel.drop_capabilities()
    seccomp.install(signals=signals)


def forget_the_parent(folder: str) -> None:
    """Default signals, a bare environment, and `folder` as the place to be."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update({"HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "PATH": "/usr/bin"})
    os.chdir(folder)
