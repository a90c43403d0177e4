"""Many writers, three of them killed, and a reader: how fast, and is anything lost or doubled?

Each writer is a process that records as a worker does: through the Recorder, with 64 rollouts in
flight that end as fast as their outcomes become durable. It notes each outcome the moment it is
acknowledged. When a quarter of all outcomes has been read, three writers get `kill -9`. The reader
polls from the first outcome to the last, each round from a cursor saved as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curriculum_env.recorder import recorder_for
from curriculum_env.store import OutcomeReader, Store, open_store
from curriculum_env.testing.postgres import postgres_server
from curriculum_env.types import Outcome

GROUP_SIZE = 8
KILLED = 3
PATIENCE = 600.0  # seconds


def main() -> None:
    arguments = parse_arguments()
    if arguments.writer is not None:
        asyncio.run(write(arguments))
        return
    with database(arguments.backend, arguments.url) as url:
        result = measure(url, arguments.writers, arguments.outcomes, arguments.in_flight)
    print(json.dumps({"backend": arguments.backend, "writers": arguments.writers, **result}))
    if result["lost"] or result["duplicated"]:
        sys.exit("Outcomes were lost or doubled.")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="outcomes_per_s counts what was acknowledged, from the common start of all writers "
        "until the last one ends; acknowledged: durable by the word of record(); seen: read, each "
        "counted once; lost: acknowledged but not seen; duplicated: seen more than once.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--backend", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--url", help="a store to use instead of a throwaway one")
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--outcomes", type=int, default=200_000, help="of all writers together")
    parser.add_argument("--in-flight", type=int, default=64, help="rollouts of each writer")
    parser.add_argument("--quick", action="store_true", help="20,000 outcomes")
    parser.add_argument("--writer", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--acknowledged", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.outcomes = 20_000
    return arguments


@contextmanager
def database(backend: str, url: str | None) -> Iterator[str]:
    if url:
        yield url
    elif backend == "postgres":
        with postgres_server() as server:
            yield server
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/curriculum.db"


# --- a writer's process ----------------------------------------------------------------------
async def write(arguments: argparse.Namespace) -> None:
    recorder = recorder_for(arguments.url)
    numbers = iter(range(arguments.outcomes))
    acknowledged = os.open(arguments.acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def rollouts() -> None:
        for number in numbers:
            outcome = make_outcome(arguments.writer, number)
            if await recorder.record(outcome):
                os.write(acknowledged, f"{outcome.rollout_id}\n".encode())

    recorder.record_nowait(make_outcome(arguments.writer, next(numbers)))  # opens the store
    if not recorder.flush(60.0):
        sys.exit("The store takes no outcomes.")
    print("ready", flush=True)
    sys.stdin.readline()
    await asyncio.gather(*(rollouts() for _ in range(arguments.in_flight)))


def make_outcome(writer: int, number: int) -> Outcome:
    draw = number // GROUP_SIZE
    return Outcome(
        draw, f"{draw:016x}", f"{writer:04x}{number:028x}", float(number % 2),
        tokens=512, turns=1, model="policy", wall_time=1.0, time=time.time(),
    )  # fmt: skip


# --- the measurement -------------------------------------------------------------------------
def measure(url: str, writers: int, outcomes: int, in_flight: int) -> dict[str, float]:
    store = open_store(url)
    with tempfile.TemporaryDirectory() as folder:
        notes = [Path(folder) / str(writer) for writer in range(writers)]
        share = outcomes // writers
        processes = [
            start_writer(url, writer, share, in_flight, note) for writer, note in enumerate(notes)
        ]
        began = time.monotonic()
        for process in processes:
            tell(process, "go\n")
        seen, seconds = watch(store, processes, outcomes // 4, began)
        acknowledged = {line for note in notes for line in note.read_text().split()}
    store.close()
    return {
        "outcomes_per_s": round(len(acknowledged) / seconds),
        "acknowledged": len(acknowledged),
        "seen": len(seen),
        "lost": len(acknowledged - seen.keys()),
        "duplicated": seen.total() - len(seen),
    }


def start_writer(
    url: str, writer: int, outcomes: int, in_flight: int, note: Path
) -> subprocess.Popen[str]:
    """Start a writer and return when it is ready to go."""
    options = {
        "--url": url, "--writer": writer, "--outcomes": outcomes,
        "--in-flight": in_flight, "--acknowledged": note,
    }  # fmt: skip
    command = [sys.executable, __file__, *(str(x) for pair in options.items() for x in pair)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise RuntimeError("A writer could not start.")
    return process


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line)
    process.stdin.flush()


def watch(
    store: Store, processes: list[subprocess.Popen[str]], kill_at: int, began: float
) -> tuple[Counter[str], float]:
    """Read until all writers have ended and nothing is left; kill some on the way.

    Returns how often each rollout was seen, and the seconds until the last writer ended.
    """
    seen: Counter[str] = Counter()
    reader, victims = store.reader(), processes[: min(KILLED, len(processes) - 1)]
    while any(process.poll() is None for process in processes):
        if time.monotonic() - began > PATIENCE:
            raise TimeoutError(f"The writers did not end within {PATIENCE:.0f} s.")
        reader = read_all(store, reader, seen)
        if len(seen) >= kill_at:
            for process in victims:
                process.send_signal(signal.SIGKILL)
            victims = []
        time.sleep(0.02)
    seconds = time.monotonic() - began
    read_all(store, reader, seen)
    for process in processes:
        end(process)
    return seen, seconds


def read_all(store: Store, reader: OutcomeReader, seen: Counter[str]) -> OutcomeReader:
    """Read what there is now; the reader that goes on from the saved cursor."""
    while outcomes := reader.read():
        seen.update(outcome.rollout_id for outcome in outcomes)
    return store.reader(json.loads(json.dumps(reader.cursor)))


def end(process: subprocess.Popen[str]) -> None:
    process.communicate()
    if process.returncode not in (0, -signal.SIGKILL):
        raise RuntimeError(f"A writer failed with code {process.returncode}.")


if __name__ == "__main__":
    main()
