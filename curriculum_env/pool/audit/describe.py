"""An audit in tables."""

from __future__ import annotations

from curriculum_env.pool.audit.findings import AuditReport, Kind, Suspect
from curriculum_env.pool.sections import Section, share, shortened

_EXAMPLE = 48


def sections(report: AuditReport, worst: int, *, every: bool = True) -> list[Section]:
    """The report in tables, with the `worst` tasks; unless `every`, of the kinds only those that
    went wrong."""
    tables = [
        _found(report),
        _kinds(report, "Wrong replies accepted", accept=False, every=every),
        _kinds(report, "Right replies rejected", accept=True, every=every),
    ]
    if report.suspects and worst:
        tables.append(_worst(report.suspects[:worst], len(report.suspects)))
    return tables


def _kinds(report: AuditReport, title: str, *, accept: bool, every: bool) -> Section:
    kinds = [kind for kind in report.kinds if kind.accept == accept]
    shown = [kind for kind in kinds if every or kind.wrong or kind.failed]
    head = ("kind", "example", "probes", "wrong", "share", "errors")
    fine = len(kinds) - len(shown)
    notes = (f"{fine} further kinds without a wrong verdict.",) if fine else ()
    return Section(title, head, tuple(map(_kind, shown)), notes, texts=2)


def _found(report: AuditReport) -> Section:
    accepts = f"{report.false_accepts} of {report.bad} ({share(report.false_accepts, report.bad)})"
    rejects = f"{report.false_rejects} of {report.good}"
    lines = (
        ("tasks", str(report.tasks)),
        ("probes", str(report.probes)),
        ("false accepts", accepts),
        ("false rejects", f"{rejects} ({share(report.false_rejects, report.good)})"),
        ("probes on which the rubric failed", str(report.failed)),
        ("tasks of which no right reply was accepted", str(report.unsolvable)),
        ("slowest verdict", f"{report.slowest:.2f} s"),
    )
    notes = [f"Answers were given as: {', '.join(report.frames)}."]
    notes += [f"{count} × {error}" for error, count in report.errors]
    return Section(f"Audit of {report.rubric}", ("", ""), lines, tuple(notes))


def _kind(kind: Kind) -> tuple[str, ...]:
    counts = (str(kind.ruled), str(kind.wrong), share(kind.wrong, kind.ruled), str(kind.failed))
    return (kind.kind, shortened(kind.example, _EXAMPLE) or "–", *counts)


def _worst(suspects: tuple[Suspect, ...], total: int) -> Section:
    head = ("task", "gold", "wrong verdicts", "accepts", "rejects", "solvable")
    lines = tuple(
        (
            suspect.uid,
            shortened(suspect.gold, 24),
            shortened(", ".join(dict.fromkeys(f.kind for f in suspect.findings)), 60) or "–",
            str(suspect.false_accepts),
            str(suspect.false_rejects),
            "no" if suspect.unsolvable else "yes",
        )
        for suspect in suspects
    )
    notes = (f"{total} tasks have a wrong verdict; all are in report.json.",)
    return Section("Worst tasks", head, lines, notes, texts=3)
