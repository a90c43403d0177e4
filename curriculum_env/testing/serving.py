"""Real verifiers machinery for tests and benchmarks: test tasksets and the env server."""

from __future__ import annotations

import multiprocessing as mp
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import verifiers.v1 as vf
from verifiers.v1.serve import env_config_data, serve_env
from verifiers.v1.utils.loaders import resolve_env_config

TASKSETS = str(Path(__file__).parent / "tasksets")


class Server(NamedTuple):
    """Where an env server listens, and the process that started its workers."""

    address: str
    pid: int

    def worker_pids(self) -> list[int]:
        """The worker processes, or the server itself where it works alone."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(pid) for pid in children if _is_worker(pid)] or [self.pid]


def _is_worker(pid: str) -> bool:
    """Python's own helper processes are the server's children too."""
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


def env_config(taskset: str, **settings: object) -> vf.EnvConfig:
    """The config of a test taskset's Env; `settings` are those of the taskset."""
    if TASKSETS not in sys.path:
        sys.path.append(TASKSETS)
    return resolve_env_config({"taskset": {"id": taskset, **settings}})


@contextmanager
def env_server(config: vf.EnvConfig, workers: int = 1) -> Iterator[Server]:
    """`config` served by processes of their own, as a trainer would."""
    spawn = mp.get_context("spawn")
    addresses, (ours, theirs) = spawn.Queue(), spawn.Pipe()
    settings = {
        "config_data": env_config_data(config),
        "max_workers": workers,
        "elastic": False,
        "address": "tcp://127.0.0.1:0",
        "address_queue": addresses,
        "death_pipe": theirs,
    }
    process = spawn.Process(target=serve_env, kwargs=settings)
    process.start()
    theirs.close()
    try:
        yield Server(addresses.get(timeout=120), process.pid or 0)
    finally:
        ours.close()
        process.terminate()
        process.join(timeout=30)
        addresses.close()
