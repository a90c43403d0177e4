"""The audit: every probe of every task, and what the rubric made of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from curriculum_env.pool.audit.perturbed import differs
from curriculum_env.pool.audit.probes import Case, Probe, framed, probes
from curriculum_env.pool.estimate.rollouts import Grade
from curriculum_env.types import Row

NEIGHBOURS = 2
_FURTHEST = 50
_TRIED = 20


@dataclass(frozen=True, slots=True)
class Subject:
    """A row to audit, what it asks and its accepted answers."""

    row: Row
    prompt: str
    golds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rubric made of one probe: its success, or the error it raised; `seconds` it took."""

    subject: int
    probe: Probe
    success: float | None
    error: str
    seconds: float


def cases(subjects: Sequence[Subject]) -> Iterator[Case]:
    """The subjects with the golds of the rows around them that are surely wrong for them."""
    for position, subject in enumerate(subjects):
        neighbours: list[str] = []
        for step in range(1, min(_FURTHEST, len(subjects))):
            other = subjects[(position + step) % len(subjects)].golds[0]
            if other not in neighbours and differs(other, list(subject.golds)):
                neighbours.append(other)
            if len(neighbours) == NEIGHBOURS:
                break
        yield Case(subject.prompt, subject.golds, neighbours)


async def readable_frames(
    subjects: Sequence[Subject], grade: Grade, frames: Mapping[str, str], threshold: float
) -> dict[str, str]:
    """Those of `frames` in which the rubric accepts the gold of most of the first tasks: the ways
    in which it reads an answer at all."""
    read = {}
    for name, frame in frames.items():
        tried = [
            (await _ruled(i, subject, Probe(name, True, framed(frame, subject.golds[0])), grade))
            for i, subject in enumerate(subjects[:_TRIED])
        ]
        if 2 * sum((ruling.success or 0.0) >= threshold for ruling in tried) > len(tried):
            read[name] = frame
    return read


async def audit(
    subjects: Sequence[Subject],
    grade: Grade,
    frames: Mapping[str, str],
    *,
    concurrency: int = 16,
    told: Callable[[Ruling], None] = lambda ruling: None,
) -> None:
    """Put every probe of every subject to `grade`; `told` hears of each ruling, in no order."""
    waiting = iter(_all(subjects, frames))

    async def work() -> None:
        for number, probe in waiting:
            told(await _ruled(number, subjects[number], probe, grade))

    await asyncio.gather(*(work() for _ in range(concurrency)))


def _all(subjects: Sequence[Subject], frames: Mapping[str, str]) -> Iterable[tuple[int, Probe]]:
    for number, case in enumerate(cases(subjects)):
        for probe in probes(case, frames):
            yield number, probe


async def _ruled(number: int, subject: Subject, probe: Probe, grade: Grade) -> Ruling:
    began = time.perf_counter()
    success, error = None, ""
    try:
        success = await grade(subject.row, probe.reply)
    except Exception as raised:  # whatever a rubric's own code raises
        error = " ".join(f"{type(raised).__name__}: {raised}".split())[:300]
    return Ruling(number, probe, success, error, time.perf_counter() - began)
