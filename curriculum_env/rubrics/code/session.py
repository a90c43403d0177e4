"""One jail in a verifiers runtime, as the harness sees it: requests out, events back."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import uuid
from collections.abc import AsyncIterator
from typing import Protocol, Self

from curriculum_env.errors import IsolationError, SandboxError
from curriculum_env.rubrics.code.archive import archive
from curriculum_env.rubrics.code.inside.frames import Buffer, Message, pack
from curriculum_env.rubrics.code.limits import CodeLimits

logger = logging.getLogger(__name__)

START_SECONDS = 30.0
GRACE_SECONDS = 15.0
STOP_SECONDS = 5.0


class Process(Protocol):
    """A live process of a runtime (`verifiers.v1.RuntimeProcess`)."""

    stdout: AsyncIterator[bytes]
    stderr: AsyncIterator[bytes]

    async def write(self, data: bytes) -> None: ...
    async def wait(self) -> int: ...
    async def kill(self) -> None: ...


class Runtime(Protocol):
    """What is used of a `verifiers.v1.Runtime`."""

    @property
    def type(self) -> str: ...
    async def write(self, path: str, data: bytes) -> None: ...
    async def open_process(self, argv: list[str], env: dict[str, str]) -> Process: ...


class Session:
    """A jail that runs one job after the other. A context manager: leaving it ends all of it.

    Raises (on entering):
        IsolationError: this machine gives no namespaces, and `limits.isolation` requires them.
        SandboxError: the runtime could not start it.
    """

    def __init__(self, runtime: Runtime, limits: CodeLimits) -> None:
        self._runtime, self._limits = runtime, limits
        self._inbox = Buffer()
        self.walled = False

    async def __aenter__(self) -> Self:
        name = f"code-{uuid.uuid4().hex}.pyz"
        try:
            await self._runtime.write(name, archive())
            self._process = await self._runtime.open_process(self._command(name), {})
        except (OSError, NotImplementedError) as error:
            raise SandboxError(
                f"The {self._runtime.type} runtime cannot start a live process ({error}); expected "
                "one that can: use subprocess, docker or prime."
            ) from error
        try:
            self._greet(await self._next(START_SECONDS))
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    def _command(self, archive_path: str) -> list[str]:
        local = self._runtime.type == "subprocess"
        python = self._limits.python or (sys.executable if local else "python3")
        settings = self._limits.settings(local=local).to_json()
        bare = ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin"]
        return [*bare, python, "-I", "-S", "-B", "-X", "utf8", archive_path, settings]

    def _greet(self, message: Message) -> None:
        if reason := message.get("refused"):
            raise IsolationError(
                f"This machine gives no namespaces to run untrusted code in ({reason}), but "
                "limits.isolation is 'require': allow user namespaces, run in a container "
                "(--env.agent.runtime.type docker), or set limits.isolation to 'accept'."
            )
        self.walled = message["hello"] == ""
        if not self.walled and self._runtime.type == "subprocess":
            _warn(message["hello"])

    async def ask(self, request: Message, seconds: float) -> Message:
        """Send a request; its event, waited for a little longer than the jail's own `seconds`.

        Raises:
            SandboxError: the jail is gone, or does not answer.
        """
        try:
            await self._process.write(pack(request))
        except (OSError, RuntimeError) as error:
            raise SandboxError(f"The jail that runs the tests is gone ({error}).") from error
        return await self._next(seconds + GRACE_SECONDS)

    async def _next(self, seconds: float) -> Message:
        try:
            async with asyncio.timeout(seconds):
                while (message := self._inbox.take()) is None:
                    self._inbox.feed(await anext(self._process.stdout))
        except TimeoutError as error:
            raise SandboxError(
                f"The jail that runs the tests gave no answer within {seconds:.0f} s; the machine "
                "may be overloaded: run fewer rollouts at a time."
            ) from error
        except StopAsyncIteration as error:
            raise SandboxError(
                f"The jail that runs the tests ended: {await self._said()}"
            ) from error
        except ValueError as error:
            raise SandboxError(f"The jail that runs the tests sent {error}.") from error
        return message

    async def _said(self) -> str:
        """The end of what the jail wrote to its standard error."""
        said = b""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                async for chunk in self._process.stderr:
                    said = (said + chunk)[-500:]
        return said.decode(errors="replace").strip() or "it said nothing."

    async def _close(self) -> None:
        """Tell the jail to end all its processes; kill it if it does not."""
        with contextlib.suppress(OSError, RuntimeError, TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.write(pack({"stop": True}))
                await self._process.wait()
        await self._process.kill()
        await self._process.wait()


_warned = False


def _warn(reason: str) -> None:
    """Once per process: untrusted code runs with few walls."""
    global _warned
    if not _warned:
        _warned = True
        logger.warning(
            "Untrusted code runs on this machine without namespaces (%s): its time, memory, "
            "processes and system calls are bounded and it gets no socket, but it can read and "
            "write what this user can.",
            reason,
        )
