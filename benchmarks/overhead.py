"""What the curriculum costs: rollouts per second through the env server, with and without it.

The same tasks, graders and scripted policy are served twice; short blocks of rollouts alternate
between the two servers, in the order with, without, without, with, so that both see the same
machine. A process keeps some luck for life (where its memory lies, how its hashes fall: 3% between
two that serve the same), so servers and clients are started afresh for every pair; who does not
play is stopped meanwhile. `ratio` is the mean over pairs of the median over their rounds of the
speed with / without, `ratio_low` and `ratio_high` its 95% bootstrap interval over pairs. The last
line is one JSON object.

`cpu_ratio` and its interval compare the processor time of client and env server instead, which a
busy machine disturbs less. With `--cpu` the line before the last says what a rollout took of it, in
microseconds: the medians over the blocks of each side.

    python benchmarks/overhead.py [--pairs 12] [--rounds 15] [--cpu]
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import multiprocessing as mp
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from multiprocessing.connection import Connection
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import verifiers.v1 as vf

from curriculum_env.testing.orchestrator import Orchestrator, orchestrator
from curriculum_env.testing.policy import spawn_policy
from curriculum_env.testing.serving import Server, env_config, env_server

GROUPS_PER_BLOCK = 4
WARM_UP_BLOCKS = 2


class Times(NamedTuple):
    """Of one block of groups, in seconds: by the clock, and of the processors."""

    wall: float
    client: float
    server: float

    @property
    def cpu(self) -> float:
        return self.client + self.server


Round: TypeAlias = list[Times]
"""With, without, without, with."""

Sides: TypeAlias = tuple[vf.EnvConfig, vf.EnvConfig]
"""With and without."""


def compare(configs: Iterable[Sides], rounds: int) -> list[list[Round]]:
    """The times of each round of each pair of servers; the side without is started first in every
    second pair."""
    return [_rounds(rounds, pair, at % 2) for at, pair in enumerate(configs)]


def _rounds(rounds: int, configs: Sides, started_first: int) -> list[Round]:
    sides: dict[int, Side] = {}
    with ExitStack() as stack:
        url = stack.enter_context(spawn_policy())
        for at in (started_first, 1 - started_first):
            sides[at] = stack.enter_context(closing(Side(configs[at], url)))
        for side in list(sides.values()) * WARM_UP_BLOCKS:
            side.block()
        return [[sides[at].block() for at in (0, 1, 1, 0)] for _ in range(rounds)]


class Side:
    """A trainer and its env server, in processes of their own; the trainer's stands still between
    its blocks."""

    def __init__(self, config: vf.EnvConfig, url: str) -> None:
        spawn = mp.get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_play, args=(config, url, theirs))
        self._process.start()
        theirs.close()
        self._pipe.recv()
        self._signal(signal.SIGSTOP)

    def block(self) -> Times:
        self._signal(signal.SIGCONT)
        self._pipe.send("play")
        times: Times = self._pipe.recv()
        self._signal(signal.SIGSTOP)
        return times

    def close(self) -> None:
        self._signal(signal.SIGCONT)
        self._pipe.close()
        self._process.join()

    def _signal(self, number: signal.Signals) -> None:
        os.kill(self._process.pid or 0, number)


def _play(config: vf.EnvConfig, url: str, pipe: Connection) -> None:
    """Play a block whenever the pipe says so, until it is closed."""
    with env_server(config) as server, suppress(EOFError):
        asyncio.run(_blocks(config, server, url, pipe))


async def _blocks(config: vf.EnvConfig, server: Server, url: str, pipe: Connection) -> None:
    processes, tasks = (server.pid, *server.worker_pids()), _endless(config)
    async with orchestrator(server.address, url) as trainer:
        pipe.send("ready")
        while pipe.recv():
            pipe.send(await block(trainer, tasks, frozenset(processes)))


async def block(
    trainer: Orchestrator, tasks: Iterator[vf.Task], processes: frozenset[int]
) -> Times:
    """What one block of groups takes."""
    begun, client, server = time.perf_counter(), time.process_time(), _processor(processes)
    await trainer.play(tasks, GROUPS_PER_BLOCK)
    return Times(
        time.perf_counter() - begun,
        time.process_time() - client,
        _processor(processes) - server,
    )


def _processor(processes: frozenset[int]) -> float:
    """The processor time that these processes have used so far, by Linux's clock of each."""
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in processes)


def ratios(pairs: list[list[Round]]) -> dict[str, float]:
    """The speed with / without, and its interval, by the clock and by processor time."""
    figures: dict[str, float] = {}
    for name, seconds in (("", attrgetter("wall")), ("cpu_", attrgetter("cpu"))):
        of_pairs = [float(np.median([_speed(times, seconds) for times in pair])) for pair in pairs]
        print(f"{name}ratio of each pair:", " ".join(f"{ratio:.3f}" for ratio in of_pairs))
        random = np.random.default_rng(0)
        resampled = random.choice(of_pairs, (10_000, len(of_pairs))).mean(axis=1)
        low, high = np.quantile(resampled, (0.025, 0.975))
        mean = float(np.mean(of_pairs))
        figures |= {f"{name}ratio": mean, f"{name}ratio_low": low, f"{name}ratio_high": high}
    return figures


def _speed(times: Round, seconds: Callable[[Times], float]) -> float:
    first, second, third, fourth = map(seconds, times)
    return (second + third) / (first + fourth)


def per_rollout(rounds: Iterable[Round]) -> dict[str, float]:
    """Processor time in microseconds."""
    rounds = list(rounds)
    size = GROUPS_PER_BLOCK * 8 / 1e6
    sides = {"with": (0, 3), "without": (1, 2)}
    return {
        f"{part}_us_{name}": float(
            np.median([getattr(blocks[at], part) / size for blocks in rounds for at in places])
        )
        for name, places in sides.items()
        for part in ("client", "server")
    }


def _endless(config: vf.EnvConfig) -> Iterator[vf.Task]:
    taskset = vf.load_taskset(config.taskset)
    return iter(taskset) if type(taskset).INFINITE else itertools.cycle(list(taskset))


def sides(store: Path) -> Sides:
    with_it = env_config("coins", task={"store": f"sqlite:///{store}"})
    return with_it, env_config("plain-coins")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=12, help="of freshly started servers")
    parser.add_argument("--rounds", type=int, default=15, help="of four blocks each, in a pair")
    parser.add_argument("--cpu", action="store_true", help="say where the processor time went")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stores = [Path(folder) / f"{pair}.db" for pair in range(settings.pairs)]
        pairs = compare(map(sides, stores), settings.rounds)
    figures = ratios(pairs)
    if settings.cpu:
        spent = per_rollout(itertools.chain.from_iterable(pairs))
        print(" ".join(f"{name}={value:.0f}" for name, value in spent.items()))
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
