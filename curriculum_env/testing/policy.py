"""A scripted policy behind an OpenAI-compatible API, whose true pass rate per task is known.

A prompt says how the policy fares on it, in tags the policy reads and a task author writes:
`[p=0.37]` succeeds with that probability, `[fails=2]` answers the first two calls with HTTP 500,
`[malformed=1]` the first with a reply that is not JSON, `[delay=0.5]` waits seconds before each
reply. The n-th call of a prompt has the same result in every run of one seed, whatever else is
asked in between.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import multiprocessing as mp
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from queue import Queue
from typing import Any, TypeAlias

RIGHT, WRONG = "right", "wrong"

_Started: TypeAlias = tuple[str, asyncio.AbstractEventLoop, asyncio.Event]


@dataclass(frozen=True)
class Outage:
    """From call `start` on (counted from 0), `errors` calls fail, then `wrong` ones miss."""

    start: int
    errors: int
    wrong: int

    def phase(self, call: int) -> str | None:
        """`error`, `wrong` or None at a call."""
        since = call - self.start
        if 0 <= since < self.errors:
            return "error"
        return "wrong" if self.errors <= since < self.errors + self.wrong else None


@dataclass(frozen=True)
class Reply:
    """What one call gets: an HTTP status, further headers and a body, after `delay` seconds."""

    status: int
    body: str
    delay: float = 0.0
    headers: str = ""
    """Whole header lines, each with its line end."""


MODELS = Reply(200, json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}))
"""What a request that is no chat completion gets: the list of models."""


@dataclass
class ScriptedPolicy:
    """Decides each reply. `answer` gives the right reply to a prompt."""

    seed: int = 0
    answer: Callable[[str], str] = field(default=lambda prompt: RIGHT)
    outage: Outage | None = None
    calls: int = 0
    asked: Counter[str] = field(default_factory=Counter)

    def reply(self, prompt: str) -> Reply:
        """The reply to the next call with `prompt`."""
        call, nth = self.calls, self.asked[prompt]
        self.calls += 1
        self.asked[prompt] += 1
        phase = self.outage.phase(call) if self.outage else None
        delay = tag(prompt, "delay", 0.0)
        if phase == "error" or nth < tag(prompt, "fails", 0.0):
            return Reply(500, json.dumps({"error": {"message": "scripted failure"}}), delay)
        if nth < tag(prompt, "malformed", 0.0):
            return Reply(200, "<html>not JSON</html>", delay)
        right = phase != "wrong" and self._uniform(prompt, nth) < tag(prompt, "p", 1.0)
        return Reply(200, completion(self.answer(prompt) if right else WRONG), delay)

    def respond(self, request: dict[str, Any]) -> Reply:
        """The reply to a chat completion request."""
        return self.reply(request["messages"][-1]["content"])

    def _uniform(self, prompt: str, nth: int) -> float:
        digest = hashlib.sha256(f"{self.seed}\n{nth}\n{prompt}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64


def tag(prompt: str, name: str, default: float) -> float:
    """The number in the prompt's tag `[name=number]`."""
    found = re.search(rf"\[{name}=([0-9.]+)\]", prompt)
    return float(found[1]) if found else default


def completion(text: str) -> str:
    """A chat completion, as JSON, whose only choice says `text`."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 8, "completion_tokens": 1, "total_tokens": 9}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": "scripted"}
    return json.dumps({**head, "choices": [choice], "usage": usage})


@contextmanager
def serve_policy(policy: ScriptedPolicy | None = None) -> Iterator[str]:
    """The policy served from a thread of this process; yields its base URL."""
    started: Queue[_Started] = Queue()
    serving = _serve(policy or ScriptedPolicy(), started.put)
    thread = threading.Thread(target=asyncio.run, args=(serving,), name="scripted-policy")
    thread.start()
    url, loop, over = started.get()
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


@contextmanager
def spawn_policy(policy: ScriptedPolicy | None = None) -> Iterator[str]:
    """The policy served from a process of its own; yields its base URL.

    Only the policy's seed and outage go along: an `answer` cannot be sent to a process.
    """
    script = policy or ScriptedPolicy()
    settings = {"seed": script.seed, "outage": script.outage}
    here, there = mp.get_context("spawn").Pipe()
    process = mp.get_context("spawn").Process(target=_process, args=(settings, there), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        here.close()
        there.close()
        process.terminate()
        process.join()


def _process(settings: dict[str, Any], pipe: Connection) -> None:
    asyncio.run(_serve(ScriptedPolicy(**settings), lambda started: pipe.send(started[0])))


async def _serve(policy: ScriptedPolicy, announce: Callable[[_Started], None]) -> None:
    """Serve until the announced event is set."""
    over = asyncio.Event()
    server = await _listen(policy)
    announce((_base_url(server), asyncio.get_running_loop(), over))
    await over.wait()
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _listen(policy: ScriptedPolicy) -> asyncio.Server:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await _read(reader):
                reply = policy.respond(request) if request["messages"] else MODELS
                await asyncio.sleep(reply.delay)
                writer.write(_response(reply))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    return await asyncio.start_server(converse, "127.0.0.1", 0, backlog=1024)


async def _read(reader: asyncio.StreamReader) -> dict[str, Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = re.search(r"(?i)content-length: *(\d+)", head)
    body = await reader.readexactly(int(length[1])) if length else b'{"messages": []}'
    request: dict[str, Any] = json.loads(body)
    return request


def _response(reply: Reply) -> bytes:
    body = reply.body.encode()
    head = (
        f"HTTP/1.1 {reply.status} Scripted\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n{reply.headers}\r\n"
    )
    return head.encode() + body


def _base_url(server: asyncio.Server) -> str:
    return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
