"""Episodes in worker processes, each behind verifiers' own env server."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import sys
from _thread import interrupt_main
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any

from verifiers.v1.serve import EnvClient, env_config_data, serve_env

from curriculum_env.adapters.verifiers.runner.config import RunConfig
from curriculum_env.adapters.verifiers.runner.loop import Execute
from curriculum_env.errors import CurriculumError

logger = logging.getLogger(__name__)

_START_SECONDS = 300.0
_STOP_SECONDS = 15.0
_CONTEXT = multiprocessing.get_context("spawn")


class WorkerError(CurriculumError, RuntimeError):
    """A worker process ended while it was needed."""


@asynccontextmanager
async def in_workers(config: RunConfig, log: Path) -> AsyncIterator[Execute]:
    """Run episodes in `config.workers` processes, the least busy first, while the block runs.

    A worker that dies takes its rollouts with it and is replaced.

    Raises:
        WorkerError: a worker does not come up.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="curriculum-"))
        workers = [
            Worker(config, f"ipc://{folder}/{number}", log) for number in range(config.workers)
        ]
        for worker in workers:
            stack.push_async_callback(worker.stop)
        await asyncio.gather(*(worker.start() for worker in workers))

        async def execute(task: Any) -> Any:
            worker = min(workers, key=lambda candidate: candidate.active)
            return await worker.run(task)

        yield execute


class Worker:
    """One env server in a process of its own, and the client that speaks to it."""

    def __init__(self, config: RunConfig, address: str, log: Path) -> None:
        self.config = config
        self.address = address
        self.log = log
        self.active = 0
        self._starting = asyncio.Lock()
        self._process: Any = None
        self._client: EnvClient | None = None
        self._died: asyncio.Event = asyncio.Event()

    async def start(self) -> None:
        """Bring the process up and wait until it answers."""
        ours, theirs = _CONTEXT.Pipe()
        self._pipe = ours  # its end, with this process or before, ends the worker
        self._process = _CONTEXT.Process(
            target=serve_env,
            kwargs={
                "max_workers": 1,
                "address": self.address,
                "death_pipe": theirs,
                "log_setup": partial(log_to, str(self.log)),
                "config_data": env_config_data(self.config.env),
            },
        )
        with _interrupts_ignored():
            self._process.start()
        theirs.close()
        self._died = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._process.sentinel, self._on_death)
        self._client = EnvClient(self.address)
        await self._unless_dead(
            self._client.wait_for_server_startup(timeout=_START_SECONDS, interval=0.2)
        )

    async def run(self, task: Any) -> Any:
        """Run one episode; a dead worker is replaced first."""
        self.active += 1
        try:
            async with self._starting:
                if self._died.is_set():
                    await self.stop()
                    await self.start()
            assert self._client is not None
            return await self._unless_dead(
                self._client.run(
                    client=self.config.client,
                    model=self.config.model,
                    sampling=self.config.sampling,
                    task_data=task.data.model_dump(mode="json"),
                )
            )
        finally:
            self.active -= 1

    async def stop(self) -> None:
        """End the process: by its own clean-up where it answers in time, else by force."""
        process, client = self._process, self._client
        if process is None or client is None:
            return
        self._process = self._client = None
        asyncio.get_running_loop().remove_reader(process.sentinel)
        await client.close()
        process.terminate()
        await asyncio.to_thread(process.join, _STOP_SECONDS)
        if process.is_alive():
            process.kill()
            await asyncio.to_thread(process.join)
        process.close()
        self._pipe.close()

    async def _exit_code(self) -> int | None:
        """The exit code of the ended process, which can be a moment in coming."""
        code: int | None = self._process.exitcode
        for _ in range(40):
            if code is not None:
                break
            await asyncio.sleep(0.05)
            code = self._process.exitcode
        return code

    def _on_death(self) -> None:
        asyncio.get_running_loop().remove_reader(self._process.sentinel)
        self._died.set()

    async def _unless_dead(self, request: Any) -> Any:
        """The result of `request`, or a `WorkerError` once the process has ended."""
        answer = asyncio.ensure_future(request)
        death = asyncio.ensure_future(self._died.wait())
        try:
            await asyncio.wait({answer, death}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                code = await self._exit_code()
                raise WorkerError(
                    f"a worker process ended with exit code {code}: its log is {self.log}."
                )
            return answer.result()
        finally:
            death.cancel()
            answer.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await answer


def log_to(path: str) -> None:
    """Send a worker's log to a file: the terminal belongs to the progress bar. What its
    destructors raise goes there too."""
    logging.basicConfig(
        filename=path,
        level=logging.INFO,
        format="%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s",
    )
    sys.unraisablehook = _unraisable


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """SIGTERM raises KeyboardInterrupt, once: where a destructor swallowed it, it comes again."""
    if issubclass(found.exc_type, KeyboardInterrupt):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        Timer(0.01, interrupt_main).start()
    else:
        logger.warning("ignored in %r", found.object, exc_info=found.exc_value)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """A process started in the block inherits that Ctrl-C is its parent's business."""
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
