"""The trusted side of one job: its pipes, its clock, its bounds, its end."""

from __future__ import annotations

import os
import select
import time

from .frames import Buffer, Message, pack
from .processes import end_all, usage
from .settings import Settings
from .stream import Stream

LOOK_AGAIN = 0.05
STDERR_KEPT = 2_000


class HarnessGoneError(Exception):
    """The harness closed its end; nobody waits for an answer any more."""


class Job:
    """A process that runs code nobody trusts, and everything that it starts.

    `seconds` is the time it has in all, counted while somebody waits for it.
    """

    def __init__(self, pid: int, stdout: int, stderr: int, channel: int, seconds: float) -> None:
        self._pid = pid
        self._stdout, self._stderr, self._channel = map(Stream, (stdout, stderr, channel))
        self._inbox = Buffer()
        self._left = seconds
        self._exit = _exit_descriptor(pid)
        self._next_look = 0.0

    def send(self, message: Message) -> None:
        """Pass a message on to the process, unless it stops reading."""
        data, deadline = memoryview(pack(message)), time.monotonic() + self._left
        while data and self._channel.open and (left := deadline - time.monotonic()) > 0:
            if select.select([], [self._channel], [], left)[1]:
                try:
                    data = data[os.write(self._channel.fileno(), data) :]
                except OSError:
                    return
        self._left = max(0.0, deadline - time.monotonic())

    def event(self, control: int, settings: Settings) -> Message:
        """What happens next: the `{"frame": ...}` the process sent, or its `{"end": ...}`.

        Raises:
            HarnessGoneError: the control pipe was closed.
        """
        deadline = time.monotonic() + self._left
        while True:
            try:
                frame = self._inbox.take()
            except ValueError:
                return {"end": self.end("exit")}
            if frame is not None:
                self._left = deadline - time.monotonic()
                return {"frame": frame}
            if reason := self._look(control, deadline, settings):
                return {"end": self.end(reason)}

    def _look(self, control: int, deadline: float, settings: Settings) -> str:
        """Wait a little and read what there is; why the job is over, or "" if it goes on."""
        streams = [s for s in (self._stdout, self._stderr, self._channel) if s.open]
        exits = [self._exit] if self._exit >= 0 else []
        waiting = [control, *exits, *map(Stream.fileno, streams)]
        pause = min(LOOK_AGAIN, max(0.0, deadline - time.monotonic()))
        ready, _, _ = select.select(waiting, [], [], pause)
        if control in ready:
            raise HarnessGoneError
        read = [stream.read() for stream in streams if stream.fileno() in ready]
        self._move_inbox()
        if time.monotonic() >= deadline:
            return "timeout"
        return self._beyond(settings) or ("exit" if self._over() and not any(read) else "")

    def _move_inbox(self) -> None:
        self._inbox.feed(bytes(self._channel.data))
        self._channel.data.clear()

    def _beyond(self, settings: Settings) -> str:
        """The bound that is crossed, or ""."""
        written = len(self._stdout.data) + len(self._stderr.data)
        if max(written, len(self._inbox)) > settings.output:
            return "output"
        if (now := time.monotonic()) < self._next_look:
            return ""
        self._next_look = now + LOOK_AGAIN
        count, memory = usage()
        if count > settings.processes:
            return "processes"
        return "memory" if memory > settings.memory else ""

    def _over(self) -> bool:
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._pid, flags) is not None

    def end(self, status: str) -> Message:
        """Kill what is left of it and read what it wrote last; how it ended."""
        ended = end_all()
        for stream in (self._stdout, self._stderr, self._channel):
            while stream is not self._channel and stream.open and stream.read():
                pass
            stream.close()
        if self._exit >= 0:
            os.close(self._exit)
        return {
            "status": status,
            "code": os.waitstatus_to_exitcode(ended[self._pid]) if self._pid in ended else None,
            "stdout": self._stdout.text(),
            "stderr": self._stderr.text(last=STDERR_KEPT),
        }


def _exit_descriptor(pid: int) -> int:
    """Readable once the process is over; -1 where the kernel has none (before Linux 5.3)."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1
