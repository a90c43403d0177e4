"""One test of one answer: what is asked of the jail, and what is made of its reply."""

from __future__ import annotations

import time

from curriculum_env.rubrics.code.cases import AssertCase, CallCase, Case, ProgramCase
from curriculum_env.rubrics.code.compare import same_output, same_value
from curriculum_env.rubrics.code.inside.codec import decode, encode
from curriculum_env.rubrics.code.inside.frames import Message
from curriculum_env.rubrics.code.result import Status, Verdict
from curriculum_env.rubrics.code.session import Session

PASSED = Verdict("passed")
BEYOND: tuple[Status, ...] = ("timeout", "memory", "processes", "output")


async def examine(
    source: str, case: Case, jail: Session, desk: Session | None, seconds: float
) -> Verdict:
    """Run one test. `jail` holds the candidate's code, `desk` the code of an `AssertCase`.

    Raises:
        SandboxError: one of them is gone.
    """
    if isinstance(case, ProgramCase):
        return await _program(source, case, jail, seconds)
    if isinstance(case, CallCase):
        return await _call(source, case, jail, seconds)
    assert desk is not None
    return await _assert(source, case, jail, desk, seconds)


async def _program(source: str, case: ProgramCase, jail: Session, seconds: float) -> Verdict:
    request = {"start": "program", "source": source, "stdin": case.stdin, "seconds": seconds}
    event = await jail.ask(request, seconds)
    end = event.get("end")
    if end is None:
        return Verdict("error", "it wrote to a channel that is not its own")
    if end["status"] != "exit" or end["code"] != 0:
        return _ended(end)
    return PASSED if same_output(case.stdout, end["stdout"]) else Verdict("wrong", "its output")


async def _call(source: str, case: CallCase, jail: Session, seconds: float) -> Verdict:
    if failed := await _load(source, jail, seconds):
        return failed
    arguments = [encode(item) for item in case.args]
    request = {"call": case.function, "args": arguments, "kwargs": {}}
    event = await jail.ask({"send": request}, seconds)
    if "end" in event:
        return _ended(event["end"])
    frame = event["frame"]
    if "value" not in frame:
        return Verdict("error", f"{frame.get('raised')}: {frame.get('text')}"[:500])
    try:
        right = same_value(case.expected, decode(frame["value"]))
    except Exception:  # a value that cannot be read, or compared, is not the expected one
        right = False
    return PASSED if right else Verdict("wrong", "its value")


async def _assert(
    source: str, case: AssertCase, jail: Session, desk: Session, seconds: float
) -> Verdict:
    if failed := await _load(source, jail, seconds):
        return failed
    test = {"setup": case.setup, "test": case.test, "names": case.names}
    deadline = time.monotonic() + 2 * seconds
    event = await desk.ask({"start": "exam", "seconds": seconds, **test}, seconds)
    while "verdict" not in (frame := event.get("frame", {"verdict": "wrong"})):
        if time.monotonic() > deadline:
            return Verdict("timeout", "too many calls")
        answer = await jail.ask({"send": frame}, seconds)
        if "end" in answer:
            return _ended(answer["end"])
        event = await desk.ask({"send": answer["frame"]}, seconds)
    if "end" in event:
        return _ended(event["end"])
    return PASSED if frame["verdict"] == "passed" else Verdict(frame["verdict"], frame["text"])


async def _load(source: str, jail: Session, seconds: float) -> Verdict | None:
    """Load the candidate's module in a fresh process; why that failed, if it did."""
    request = {"start": "call", "source": source, "seconds": seconds}
    event = await jail.ask(request, seconds)
    return _ended(event["end"]) if "end" in event else None


def _ended(end: Message) -> Verdict:
    """The verdict on a process that ended before its answer was there."""
    last = end["stderr"].strip().rpartition("\n")[2][-300:]
    for bound in BEYOND:
        if end["status"] == bound:
            return Verdict(bound, last)
    return Verdict("error", last or f"it ended with exit code {end['code']}")
