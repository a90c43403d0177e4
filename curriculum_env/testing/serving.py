"""Real verifiers machinery for tests and benchmarks: test tasksets and the env server."""

from __future__ import annotations

import multiprocessing as mp
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import verifiers.v1 as vf
from verifiers.v1.serve import env_config_data, serve_env
from verifiers.v1.utils.loaders import resolve_env_config

TASKSETS = str(Path(__file__).parent / "tasksets")


def env_config(taskset: str, **settings: object) -> vf.EnvConfig:
    """The config of a test taskset's Env; `settings` are those of the taskset."""
    if TASKSETS not in sys.path:
        sys.path.append(TASKSETS)
    return resolve_env_config({"taskset": {"id": taskset, **settings}})


@contextmanager
def env_server(config: vf.EnvConfig, workers: int = 1) -> Iterator[str]:
    """`config` served by processes of their own, as a trainer would; yields the address."""
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
        yield addresses.get(timeout=120)
    finally:
        ours.close()
        process.terminate()
        process.join(timeout=30)
        addresses.close()
