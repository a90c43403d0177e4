"""The walls themselves: what is seen from inside, what is left outside, where there are none."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from curriculum_env.errors import SandboxError
from curriculum_env.rubrics.code import CallCase, CodeLimits, ProgramCase, run_tests
from curriculum_env.rubrics.code.archive import archive
from curriculum_env.rubrics.code.inside.frames import MAX_BYTES, Buffer, pack
from curriculum_env.rubrics.code.inside.seccomp import REFUSED, SIGNALS, steps
from curriculum_env.rubrics.code.session import Session

ROOT = Path(__file__).parents[3]

LOOK_AROUND = """
import os, sys, json
def names(path):
    try: return sorted(os.listdir(path))
    except OSError as error: return type(error).__name__
def text(path):
    try: return open(path).read()
    except OSError as error: return type(error).__name__
print(json.dumps({
    "root": names("/"), "tmp": names("/tmp"), "pids": [p for p in names("/proc") if p.isdigit()],
    "environ": dict(os.environ), "packages": [names(p) for p in PACKAGES],
    "initial": text("/proc/self/environ"), "descriptors": names("/proc/self/fd"),
    "interfaces": [line.split(":")[0].strip() for line in open("/proc/net/dev")][2:],
    "capabilities": [l.split()[1] for l in open("/proc/self/status") if l.startswith("CapEff")],
}))
"""


async def seen_from_inside(runtime: Any, packages: list[str]) -> dict[str, Any]:
    import json

    source = LOOK_AROUND.replace("PACKAGES", repr(packages))
    async with Session(runtime, CodeLimits()) as session:
        request = {"start": "program", "source": source, "stdin": "", "seconds": 5}
        event = await session.ask(request, 5)
        assert event["end"]["code"] == 0, event
        found: dict[str, Any] = json.loads(event["end"]["stdout"])
        return found


async def test_what_is_seen_from_inside(runtime: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_TOKEN", "hush")
    packages = [path for path in sys.path if path.endswith("-packages")]
    seen = await seen_from_inside(runtime, [*packages, str(ROOT), str(Path.home())])
    assert "old" not in seen["root"]
    assert seen["tmp"] == []
    assert len(seen["pids"]) == 2
    assert "hush" not in str(seen["environ"]) + seen["initial"]
    assert all(names in ([], "FileNotFoundError") for names in seen["packages"][:-1])
    assert seen["interfaces"] == ["lo"]
    assert seen["capabilities"] == ["0" * 16]
    assert set(seen["descriptors"]) <= {"0", "1", "2", "3", "4"}


async def test_a_program_cannot_write_outside_its_tmp(runtime: Any) -> None:
    source = """
import os
kept = []
for folder in ("/", "/usr/lib", "/etc", "/dev", "/proc", os.path.dirname(os.__file__)):
    try: open(os.path.join(folder, "kept"), "w"); kept.append(folder)
    except OSError: pass
open("/tmp/kept", "w").write("x")
print(kept)
"""
    result = await run_tests(source, [ProgramCase(stdin="", stdout="[]")], runtime)
    assert result.all_passed, result


async def test_a_cancelled_test_leaves_no_process(runtime: Any) -> None:
    """As verifiers does when scoring runs out of time."""
    before = children()
    source = "import os, time\nif os.fork() == 0: os.setsid()\nwhile True: time.sleep(0.1)"
    cases = [ProgramCase(stdin="", stdout="1")]
    running = asyncio.create_task(run_tests(source, cases, runtime, CodeLimits(seconds=60)))
    while not children() - before:
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert children() - before == set()


def children(parent: int | None = None) -> set[int]:
    """Every process below a process."""
    below, parents = {parent or os.getpid()}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(text.rpartition(")")[2].split()[1])
    while grown := {pid for pid, above in parents.items() if above in below} - below:
        below |= grown
    return below - {parent or os.getpid()}


KILLED = """
import asyncio, sys
import verifiers.v1 as vf
from verifiers.v1.runtimes import provision_runtime
from curriculum_env.rubrics.code import CodeLimits, ProgramCase, run_tests
SOURCE = "import os, time\\nif os.fork() == 0: os.setsid()\\nwhile True: time.sleep(0.1)"
LIMITS = CodeLimits(seconds=60)
async def main():
    async with provision_runtime(vf.SubprocessConfig()) as runtime:
        print("started", flush=True)
        await run_tests(SOURCE, [ProgramCase(stdin="", stdout="1")], runtime, LIMITS)
asyncio.run(main())
"""


def test_a_killed_worker_leaves_no_process() -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        deadline = time.monotonic() + 20
        while len(family := children(worker.pid)) < 5 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(family) >= 5
        worker.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while (left := {pid for pid in family if running(pid)}) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == set()


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# --- where there are no namespaces ------------------------------------------------------------
WITHOUT = textwrap.dedent("""
    import asyncio, sys
    import verifiers.v1 as vf
    from verifiers.v1.runtimes import provision_runtime
    from curriculum_env.errors import IsolationError
    from curriculum_env.rubrics.code import *
    from tests.rubrics.code.hostile import PROGRAMS, PROLOGUE
    TRIED = ("equal to everything", "verdicts on every descriptor", "a fork bomb",
             "every process killed", "a daemon", "a debugger")
    async def main():
        async with provision_runtime(vf.SubprocessConfig()) as runtime:
            cases = [AssertCase(test="assert f(3) == 'secret'", names=["f"]),
                     CallCase(function="f", args=[1], expected="secret")]
            try:
                await run_tests("def f(n): ...", cases, runtime)
            except IsolationError as error:
                print("refused:", error)
            limits = CodeLimits(isolation="accept", seconds=1.0, processes=16, output_mb=1)
            honest = await run_tests("def f(n): return 'secret'", cases, runtime, limits)
            print("honest", honest.all_passed)
            for name in TRIED:
                targets = repr((9, 9, "mark", ["/tmp"]))
                source = PROLOGUE.replace("TARGETS", targets) + PROGRAMS[name]
                result = await run_tests(source, cases, runtime, limits, stop_at_failure=False)
                print("hostile", result.passed, name)
    asyncio.run(main())
""")


@pytest.fixture(scope="module")
def without_namespaces() -> str:
    """What happens in a place that has none to give: its own namespaces, without the right to
    further ones, so that what gets away still gets nowhere."""
    command = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'
    unshare = [
        "unshare",
        "--map-root-user",
        "--pid",
        "--fork",
        "--mount-proc",
        "--net",
        "--kill-child",
    ]
    if shutil.which("unshare") is None:
        pytest.skip("unshare(1) is not installed")
    done = subprocess.run(
        [*unshare, "sh", "-c", command, "sh", sys.executable, "-c", WITHOUT],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout + done.stderr


def test_without_namespaces_nothing_runs_by_default(without_namespaces: str) -> None:
    assert "refused: This machine gives no namespaces" in without_namespaces
    assert "set limits.isolation to 'accept'" in without_namespaces


def test_if_accepted_it_warns_once_and_judges_alike(without_namespaces: str) -> None:
    assert without_namespaces.count("without namespaces") == 1
    assert "honest 1.0" in without_namespaces
    verdicts = [line for line in without_namespaces.splitlines() if line.startswith("hostile")]
    assert len(verdicts) == 6
    assert all(line.startswith("hostile 0 ") for line in verdicts), verdicts


# --- small parts ------------------------------------------------------------------------------
@pytest.mark.parametrize("machine", REFUSED)
def test_the_filter_refuses_what_it_should_and_no_more(machine: str) -> None:
    """Both processors name the same calls, and every jump lands inside the program."""
    assert set(REFUSED[machine]) == set(REFUSED["x86_64"])
    assert set(SIGNALS[machine]) == set(SIGNALS["x86_64"])
    for signals in (True, False):
        program = steps(machine, signals=signals)
        for position, (_, true, false, _) in enumerate(program):
            assert position + 1 + max(true, false) <= len(program)
        refused = {operand for code, _, _, operand in program if code == 0x15}
        assert (set(SIGNALS[machine].values()) <= refused) is not signals


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")
async def test_refused_calls_say_so(runtime: Any) -> None:
    source = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def f(number):
    result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
    return [result, errno.errorcode.get(ctypes.get_errno())]
"""
    numbers = [REFUSED["x86_64"][name] for name in ("socket", "ptrace", "mount", "bpf", "setns")]
    cases = [CallCase(function="f", args=[n], expected=[-1, "EPERM"]) for n in numbers]
    assert (await run_tests(source, cases, runtime)).all_passed


def test_the_archive_is_the_same_every_time() -> None:
    first = archive()
    archive.cache_clear()
    assert archive() == first
    assert len(first) < 100_000


def test_messages_are_cut_anywhere() -> None:
    messages = [{"a": "x" * size} for size in (0, 1, 70_000)]
    data, buffer, found = b"".join(map(pack, messages)), Buffer(), []
    for start in range(0, len(data), 7):
        buffer.feed(data[start : start + 7])
        while (message := buffer.take()) is not None:
            found.append(message)
    assert found == messages


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\0\0\0\1{", b"\0\0\0\2[]"])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    buffer = Buffer()
    buffer.feed(data)
    with pytest.raises(ValueError):
        buffer.take()


def test_a_message_beyond_all_bounds_is_not_sent() -> None:
    with pytest.raises(ValueError, match="at most"):
        pack({"a": "x" * MAX_BYTES})


class NoProcesses:
    """A runtime that cannot start live processes, as some of verifiers' cannot."""

    type = "modal"

    async def write(self, path: str, data: bytes) -> None: ...

    async def open_process(self, argv: list[str], env: dict[str, str]) -> Any:
        raise NotImplementedError("no live processes")


async def test_a_runtime_without_live_processes_is_named() -> None:
    with pytest.raises(SandboxError, match="modal runtime cannot start a live process"):
        await run_tests("", [ProgramCase(stdin="", stdout="1")], NoProcesses())
