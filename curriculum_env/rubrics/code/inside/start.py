"""Starts a job: a child of this process that gives up everything, then runs the code."""

from __future__ import annotations

import os
import shutil
import socket
from dataclasses import dataclass

from . import restrict
from .frames import Message
from .job import Job
from .settings import Settings

CHANNEL = 3


@dataclass(frozen=True)
class Place:
    """Where jobs run: the folder they may write to, the user they become (None: stay), and whether
    there are namespaces around it."""

    folder: str
    uid: int | None
    walled: bool

    def leave(self) -> None:
        """Remove what jobs wrote; behind walls it goes with the namespace."""
        if not self.walled:
            shutil.rmtree(self.folder, ignore_errors=True)


def start(request: Message, settings: Settings, place: Place) -> Job | None:
    """The job as its parent sees it; None in the child, which is then ready to run the code.

    Raises:
        OSError: no process, pipe or file could be made.
    """
    seconds = float(request["seconds"])
    ours, theirs = (end.detach() for end in socket.socketpair())
    stdout, stdout_end = os.pipe()
    stderr, stderr_end = os.pipe()
    stdin = _file_of(request.get("stdin", ""))
    ends = (stdin, stdout_end, stderr_end, theirs)
    pid = os.fork()
    if pid == 0:
        _become(ends, settings, place, seconds)
        return None
    for descriptor in ends:
        os.close(descriptor)
    return Job(pid, stdout, stderr, ours, seconds)


def _file_of(text: str) -> int:
    """A file, in memory, that holds `text`; as standard input it can be read again from the top."""
    descriptor = os.memfd_create("stdin")
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(text.encode(errors="surrogatepass"))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _become(ends: tuple[int, ...], settings: Settings, place: Place, seconds: float) -> None:
    """Turn this fresh child into the candidate's process."""
    os.setsid()
    high = [os.dup2(end, 100 + number) for number, end in enumerate(ends)]
    for number, descriptor in enumerate(high):
        os.dup2(descriptor, number)
    os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
    restrict.forget_the_parent(place.folder)
    restrict.limit(settings, seconds)
    restrict.surrender(place.uid, signals=place.walled)
