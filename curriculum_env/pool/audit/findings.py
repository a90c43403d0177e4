"""What an audit found: wrong verdicts by kind, and the tasks with most of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from curriculum_env.pool.audit.auditing import Ruling, Subject
from curriculum_env.pool.estimate.interval import pass_rate_interval

_REPLY = 500
_ERRORS = 5


@dataclass(frozen=True, slots=True)
class Kind:
    """The probes of one kind. `wrong` of `ruled` verdicts were wrong: of probes to be accepted
    (`accept`) a reject, of others an accept; `low` and `high` are the 95% interval of that share.
    On `failed` further ones the rubric raised an error."""

    kind: str
    accept: bool
    ruled: int
    wrong: int
    low: float
    high: float
    failed: int
    example: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One wrong verdict; `success` is what the rubric gave."""

    kind: str
    accept: bool
    success: float
    reply: str


@dataclass(frozen=True, slots=True)
class Suspect:
    """A task with wrong verdicts; `unsolvable` where no reply with its gold was accepted."""

    uid: str
    prompt: str
    gold: str
    false_accepts: int
    false_rejects: int
    unsolvable: bool
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class AuditReport:
    """An audit summed up. `frames` are the ways of saying an answer that were used; `suspects`
    come worst first."""

    rubric: str
    tasks: int
    probes: int
    false_accepts: int
    false_rejects: int
    bad: int
    good: int
    failed: int
    unsolvable: int
    seconds: float
    slowest: float
    frames: tuple[str, ...]
    kinds: tuple[Kind, ...]
    suspects: tuple[Suspect, ...]
    errors: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class Tally:
    """Takes rulings as they come; a success of at least `threshold` is an accept."""

    subjects: Sequence[Subject]
    threshold: float = 0.5
    _ruled: Counter[tuple[bool, str]] = field(default_factory=Counter)
    _wrong: Counter[tuple[bool, str]] = field(default_factory=Counter)
    _failed: Counter[tuple[bool, str]] = field(default_factory=Counter)
    _errors: Counter[str] = field(default_factory=Counter)
    _examples: dict[tuple[bool, str], str] = field(default_factory=dict)
    _findings: dict[int, list[Finding]] = field(default_factory=lambda: defaultdict(list))
    _solved: set[int] = field(default_factory=set)
    _seconds: float = 0.0
    _slowest: float = 0.0

    def add(self, ruling: Ruling) -> None:
        """Take in one ruling."""
        probe, kind = ruling.probe, (ruling.probe.accept, ruling.probe.kind)
        self._seconds += ruling.seconds
        self._slowest = max(self._slowest, ruling.seconds)
        if ruling.success is None:
            self._failed[kind] += 1
            self._errors[ruling.error] += 1
            return
        accepted = ruling.success >= self.threshold
        self._ruled[kind] += 1
        if accepted and probe.accept:
            self._solved.add(ruling.subject)
        if accepted != probe.accept:
            self._wrong[kind] += 1
            self._examples.setdefault(kind, probe.reply[:_REPLY])
            finding = Finding(probe.kind, probe.accept, ruling.success, probe.reply[:_REPLY])
            self._findings[ruling.subject].append(finding)

    def report(self, rubric: str, frames: Sequence[str]) -> AuditReport:
        """The audit so far."""
        kinds = tuple(self._kind(kind) for kind in sorted({*self._ruled, *self._failed}))
        good = [kind for kind in kinds if kind.accept]
        bad = [kind for kind in kinds if not kind.accept]
        return AuditReport(
            rubric=rubric,
            tasks=len(self.subjects),
            probes=sum(kind.ruled + kind.failed for kind in kinds),
            false_accepts=sum(kind.wrong for kind in bad),
            false_rejects=sum(kind.wrong for kind in good),
            bad=sum(kind.ruled for kind in bad),
            good=sum(kind.ruled for kind in good),
            failed=sum(kind.failed for kind in kinds),
            unsolvable=len(self.subjects) - len(self._solved),
            seconds=self._seconds,
            slowest=self._slowest,
            frames=tuple(frames),
            kinds=tuple(sorted(kinds, key=lambda kind: (kind.accept, -kind.wrong, kind.kind))),
            suspects=tuple(self._suspects()),
            errors=tuple(self._errors.most_common(_ERRORS)),
        )

    def _kind(self, kind: tuple[bool, str]) -> Kind:
        accept, name = kind
        ruled, wrong = self._ruled[kind], self._wrong[kind]
        low, high = pass_rate_interval(np.array([float(wrong)]), np.array([float(ruled)]))
        example = self._examples.get(kind, "")
        return Kind(
            name, accept, ruled, wrong, float(low[0]), float(high[0]), self._failed[kind], example
        )

    def _suspects(self) -> list[Suspect]:
        numbers = {*self._findings, *(set(range(len(self.subjects))) - self._solved)}
        return sorted(map(self._suspect, sorted(numbers)), key=_badness)

    def _suspect(self, number: int) -> Suspect:
        subject, findings = self.subjects[number], self._findings.get(number, [])
        return Suspect(
            uid=subject.row.uid,
            prompt=subject.prompt[:_REPLY],
            gold=subject.golds[0],
            false_accepts=sum(not finding.accept for finding in findings),
            false_rejects=sum(finding.accept for finding in findings),
            unsolvable=number not in self._solved,
            findings=tuple(sorted(findings, key=lambda finding: (finding.accept, finding.kind))),
        )


def _badness(suspect: Suspect) -> tuple[int, bool, int]:
    """A task that pays for wrong answers is worse than one that cannot be solved."""
    return (-suspect.false_accepts, not suspect.unsolvable, -suspect.false_rejects)
