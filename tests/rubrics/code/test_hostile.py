"""The battery: whatever a program does, it earns nothing it did not earn and leaves no trace."""

from __future__ import annotations

import asyncio
import os
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest
import verifiers.v1 as vf
from verifiers.v1.runtimes import provision_runtime

from curriculum_env.rubrics.code import (
    AssertCase,
    CallCase,
    Case,
    CodeLimits,
    CodeResult,
    ProgramCase,
    run_tests,
)
from tests.rubrics.code.hostile import PROGRAMS, PROLOGUE

LIMITS = CodeLimits(seconds=0.5, memory_mb=512, disk_mb=32, output_mb=1, processes=16)
AT_ONCE, HONEST = 3, 6
WRITTEN_TO = ("/", "/etc", "/home", "/tmp", "/dev/shm", "/var/tmp", "/usr/lib", "/old")
LONGEST = 30.0


def secret() -> str:
    return uuid.uuid4().hex


def cases() -> list[Case]:
    """Tests of each form that nobody can pass but by chance."""
    number, wanted = SystemRandom().getrandbits(64), [secret(), secret()]
    looped = f"""
for got, wanted in zip(map(f, [1, 2]), {wanted!r}):
    assert got == wanted
    assert type(got) is str
assert f(3) == {number}
"""
    return [
        CallCase(function="f", args=[secret()], expected=wanted),
        AssertCase(test=looped, names=["f"]),
        ProgramCase(stdin=secret(), stdout=secret()),
    ]


@dataclass
class Host:
    """What the battery is pointed at, and what it must not reach."""

    folder: Path
    mark: str
    tcp: socket.socket
    udp: socket.socket
    results: dict[str, CodeResult] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    honest: list[CodeResult] = field(default_factory=list)

    def source(self, program: str) -> str:
        paths = [str(self.folder), os.getcwd(), str(Path.home()), "/tmp"]
        targets = (self.tcp.getsockname()[1], self.udp.getsockname()[1], self.mark, paths)
        return PROLOGUE.replace("TARGETS", repr(targets)) + program

    async def attack(self) -> None:
        gate = asyncio.Semaphore(AT_ONCE)
        async with (
            provision_runtime(vf.SubprocessConfig()) as runtime,
            asyncio.TaskGroup() as group,
        ):
            for name, program in PROGRAMS.items():
                group.create_task(self._grade(name, program, runtime, gate))
            for _ in range(HONEST):
                group.create_task(self._beside(runtime, gate))

    async def _grade(self, name: str, program: str, runtime: Any, gate: asyncio.Semaphore) -> None:
        async with gate:
            started, source = time.monotonic(), self.source(program)
            self.results[name] = await run_tests(
                source, cases(), runtime, LIMITS, stop_at_failure=False
            )
            self.seconds[name] = time.monotonic() - started

    async def _beside(self, runtime: Any, gate: asyncio.Semaphore) -> None:
        """An honest answer among the others."""
        async with gate:
            square = [AssertCase(test=f"assert f({n}) == {n * n}", names=["f"]) for n in (3, 4)]
            self.honest.append(await run_tests("def f(n): return n * n", square, runtime))


def ours() -> set[int]:
    """Every process below this one."""
    below, grown = {os.getpid()}, True
    while grown:
        grown = False
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) not in below:
                try:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except OSError:
                    continue
                if parent in below:
                    below.add(int(entry.name))
                    grown = True
    return below - {os.getpid()}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The machine after all of them have run."""
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as tcp,
        closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as udp,
    ):
        udp.bind(("127.0.0.1", 0))
        target = Host(tmp_path_factory.mktemp("watched"), f"mark-{secret()}", tcp, udp)
        (target.folder / "tests.json").write_text(target.mark)
        before = ours()
        asyncio.run(target.attack())
        target.left = ours() - before
        yield target


def test_there_are_enough_of_them() -> None:
    assert len(PROGRAMS) >= 40


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_earns_nothing(host: Host, name: str) -> None:
    result = host.results[name]
    assert (result.passed, result.all_passed, result.fraction) == (0, 0.0, 0.0), result


def test_each_ends_in_time(host: Host) -> None:
    slowest = max(host.seconds, key=host.seconds.__getitem__)
    assert host.seconds[slowest] < LONGEST, slowest


def test_honest_answers_beside_them_pass(host: Host) -> None:
    assert [result.all_passed for result in host.honest] == [1.0] * HONEST


def test_no_process_is_left(host: Host) -> None:
    assert host.left == set()


def test_nothing_came_over_the_network(host: Host) -> None:
    for server, receive in ((host.tcp, host.tcp.accept), (host.udp, host.udp.recv)):
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            receive(1) if server is host.udp else receive()  # type: ignore[call-arg]


def test_no_file_of_the_host_changed(host: Host) -> None:
    assert [path.name for path in host.folder.iterdir()] == ["tests.json"]
    assert (host.folder / "tests.json").read_text() == host.mark
    assert host.mark not in Path(os.__file__).read_text()
    everywhere = (Path.cwd(), Path.home(), *map(Path, WRITTEN_TO))
    assert not [path for folder in everywhere for path in folder.glob(f"{host.mark}*")]
    assert not any(Path(name).exists() for name in ("result.json", "verdict", "exit_code"))
