"""Starts a local model server as a child process and ends it again."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import IO, Any

from curriculum_env.errors import ConfigError
from curriculum_env.local.gguf import find_gguf

_START_SECONDS = 120.0
_STOP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class LocalPolicy:
    """A model being served: what an OpenAI-compatible client needs to reach it."""

    model: str
    base_url: str
    pid: int


@contextmanager
def serve_policy(
    policy: str, *, slots: int = 8, context: int = 1024, threads: int = 1
) -> Iterator[LocalPolicy]:
    """Serve `policy` (`smollm2` or the path of a GGUF file) while the block runs.

    The server is a process of its own, on loopback, with `slots` requests at a time of at most
    `context` tokens each, on `threads` CPU threads. It does not hear a Ctrl-C meant for its
    parent, and it ends with its parent.

    Raises:
        ConfigError: the weights or the `[local]` extra are missing, or the server does not start.
    """
    path = find_gguf(policy)
    if find_spec("xllamacpp") is None:
        raise ConfigError(
            "serving a local policy needs xllamacpp, which is not installed: "
            "run `pip install 'curriculum-env[local]'`."
        )
    model = policy if policy != str(path) else path.stem
    with tempfile.TemporaryFile() as log:
        process = _start(path, model, slots, context, threads, log)
        try:
            yield LocalPolicy(model, f"{_address(process, path, log)}/v1", process.pid)
        finally:
            _stop(process)


def _start(
    path: Path, model: str, slots: int, context: int, threads: int, log: IO[bytes]
) -> subprocess.Popen[str]:
    options: dict[str, Any] = {
        "model": path.resolve(), "alias": model, "slots": slots,
        "context": context, "threads": threads,
    }  # fmt: skip
    arguments = [f"--{name}={value}" for name, value in options.items()]
    return subprocess.Popen(
        [sys.executable, "-m", "curriculum_env.local.server", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        start_new_session=True,
    )


def _address(process: subprocess.Popen[str], path: Path, log: IO[bytes]) -> str:
    """The address the server prints once the model is loaded."""
    assert process.stdout is not None
    deadline = Timer(_START_SECONDS, process.kill)
    deadline.start()
    try:
        for line in process.stdout:
            if line.startswith('{"address"'):
                return str(json.loads(line)["address"])
    finally:
        deadline.cancel()
    process.wait()
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    raise ConfigError(
        f"{path} could not be served (exit code {process.returncode}): "
        f"{lines[-1].rstrip('.') if lines else 'the server said nothing'}."
    )


def _stop(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
