"""Replies whose verdict is known beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from curriculum_env.pool.audit.perturbed import perturbed
from curriculum_env.pool.audit.spellings import spellings
from curriculum_env.pool.audit.values import choice_of

ANSWER = "{answer}"
FRAMES = {
    "answer alone": ANSWER,
    "boxed": "\\boxed{{answer}}",
    "boxed in a sentence": "Therefore, the answer is $\\boxed{{answer}}$.",
    "boxed after reasoning": "Let us first try 1, which fails, then 2, which fails too. Working it "
    "out properly step by step, we find the result.\n\n**Answer:** $\\boxed{{answer}}$",
    "the answer is": "The answer is {answer}.",
    "final answer, bold": "So we are done.\n\n**Final answer:** {answer}",
    "behind hashes": "Adding everything up gives the result.\n#### {answer}",
}
"""Ways in which an honest reply says its answer, by name."""

_REFUSALS = ("I'm sorry, but I can't help with that.", "I don't know.", "There is no answer.")
_OPTIONS = "ABCDE"


@dataclass(frozen=True, slots=True)
class Probe:
    """A reply of some kind, and whether a rubric should accept it."""

    kind: str
    accept: bool
    reply: str


@dataclass(frozen=True, slots=True)
class Case:
    """A task to probe: its prompt, its accepted answers, and golds of other tasks that are surely
    not its own."""

    prompt: str
    golds: Sequence[str]
    neighbours: Sequence[str] = ()


def probes(case: Case, frames: Mapping[str, str]) -> Iterator[Probe]:
    """Every probe of a task, no reply twice. A good answer stands in each of `frames` as it is, and
    in the first one in every spelling."""
    said: set[str] = set()
    for probe in chain(_good(case, frames), _bad(case, frames)):
        if probe.reply not in said:
            said.add(probe.reply)
            yield probe


def framed(frame: str, answer: str) -> str:
    """The answer in its frame."""
    return frame.replace(ANSWER, answer)


def _good(case: Case, frames: Mapping[str, str]) -> Iterator[Probe]:
    first = next(iter(frames.values()))
    for name, frame in frames.items():
        yield Probe(f"gold: {name}", True, framed(frame, case.golds[0]))
    for gold in case.golds[1:]:
        yield Probe("gold: another accepted answer", True, framed(first, gold))
    for kind, text in spellings(case.golds[0]).items():
        if kind != "as it is":
            yield Probe(f"spelling: {kind}", True, framed(first, text))


def _bad(case: Case, frames: Mapping[str, str]) -> Iterator[Probe]:
    yield from _evasions(case)
    wrong = perturbed(list(case.golds))
    for name, frame in frames.items():
        for kind, text in wrong.items():
            yield Probe(f"perturbed: {kind}", False, framed(frame, text))
        for text in case.neighbours:
            yield Probe(f"neighbour's gold: {name}", False, framed(frame, text))
        for text in list(wrong.values())[:1]:
            yield from _both(case.golds[0], text, frame)


def _evasions(case: Case) -> Iterator[Probe]:
    yield Probe("empty", False, "")
    yield Probe("white space", False, " \n\t\n ")
    yield Probe("empty box", False, "\\boxed{}")
    for text in _REFUSALS:
        yield Probe("refusal", False, text)
    if case.prompt:
        yield Probe("echo of the prompt", False, case.prompt)
        yield Probe("echo of the prompt, boxed", False, f"\\boxed{{{case.prompt}}}")
    gold = case.golds[0]
    yield Probe("gold denied", False, f"The answer is not {gold}.")
    if (letter := choice_of(gold)) is not None and letter in _OPTIONS:
        yield Probe("every option listed", False, ", ".join(_OPTIONS))
        yield Probe("every option listed", False, f"\\boxed{{{', '.join(_OPTIONS)}}}")
        boxes = " ".join(f"\\boxed{{{option}}}" for option in _OPTIONS)
        yield Probe("every option boxed", False, boxes)


def _both(gold: str, wrong: str, frame: str) -> Iterator[Probe]:
    """The right answer and a wrong one, of which the reply does not settle on the right one."""
    asserted, right = framed(frame, wrong), framed(frame, gold)
    yield Probe("two answers: hedged", False, framed(frame, f"{gold} or {wrong}"))
    yield Probe("two answers: side by side", False, f"{right} {asserted}")
    yield Probe("two answers: an equation of both", False, framed(frame, f"{wrong} = {gold}"))
    yield Probe("changed to a wrong one", False, f"{right}\nNo, wait. That is wrong.\n{asserted}")
    yield Probe(
        "gold inside a wrong sentence", False, f"One might think it is {gold}, but no. {asserted}"
    )
