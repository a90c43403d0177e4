"""An estimate in tables."""

from __future__ import annotations

from itertools import pairwise

from curriculum_env.pool.estimate.summary import BINS, EDGES, EstimateReport, GroupSummary
from curriculum_env.pool.sections import Section, share, shortened

_BAR = 40


def sections(report: EstimateReport, *, priced: bool) -> list[Section]:
    """The report in tables: rates, buckets, groups, and what it took."""
    tables = [_found(report), _buckets(report), _histogram(report)]
    if len(report.groups) > 1:
        tables.append(_groups(report))
    return [*tables, _spent(report, priced=priced)]


def _found(report: EstimateReport) -> Section:
    notes = []
    if report.partly:
        notes.append(f"{report.partly} tasks have some rollouts, but fewer than k.")
    if report.ended:
        notes.append(f"Stopped early: {report.ended}.")
    lines = (
        ("tasks", str(report.rows)),
        (f"estimated (at least {report.k} rollouts)", str(report.estimated)),
        ("mean pass rate", _number(report.mean)),
        ("mean width of the 95% intervals", _number(report.width)),
        ("never solved", f"{report.unsolved} ({share(report.unsolved, report.estimated)})"),
        ("always solved", f"{report.solved} ({share(report.solved, report.estimated)})"),
        ("to quarantine", str(report.pruned)),
        (f"ρ at {report.group_size} rollouts, uniform drawing", _number(report.survival)),
        ("ρ of what is kept", _number(report.survival_kept)),
    )
    return Section(f"Pass rates of {report.model}", ("", ""), lines, tuple(notes))


def _buckets(report: EstimateReport) -> Section:
    lines = [
        (f"{low:g} ≤ p < {high:g}" if high < 1 else f"{low:g} ≤ p ≤ 1", str(count),
         share(count, report.estimated))
        for (low, high), count in zip(pairwise(EDGES), report.buckets, strict=True)
    ]  # fmt: skip
    return Section("Buckets", ("pass rate", "tasks", "share"), tuple(lines))


def _histogram(report: EstimateReport) -> Section:
    most = max(report.histogram, default=0) or 1
    lines = [
        (f"{i / BINS:.2f}", "█" * round(_BAR * count / most), str(count))
        for i, count in enumerate(report.histogram)
    ]
    return Section("Histogram", ("from", "", "tasks"), tuple(lines), texts=2)


def _groups(report: EstimateReport) -> Section:
    head = ("domain", "level", "tasks", "estimated", "mean", "never", "always")
    return Section("By domain and level", head, tuple(map(_group, report.groups)), texts=2)


def _group(group: GroupSummary) -> tuple[str, ...]:
    return (
        *(group.domain or "–", group.level or "–", str(group.rows), str(group.estimated)),
        *(_number(group.mean), str(group.unsolved), str(group.solved)),
    )


def _spent(report: EstimateReport, *, priced: bool) -> Section:
    spent = report.spent
    lines = [
        ("rollouts graded", str(spent.graded)),
        ("replies cut off by the token limit", str(spent.cut_off)),
        ("failed by the service's fault", str(spent.failed)),
        ("lost in flight (killed or cancelled; perhaps paid)", str(spent.lost)),
        ("replies that could not be graded", str(spent.ungraded)),
        ("tasks the service refused", str(spent.refused)),
        ("rollouts owed", str(report.owed)),
        ("prompt tokens", str(spent.prompt_tokens)),
        ("completion tokens", str(spent.completion_tokens)),
    ]
    if priced:
        lines.append(("money", f"{spent.money:.4f}"))
    notes = [f"{count} × {shortened(error, 160)}" for error, count in spent.errors]
    return Section("What it took", ("", ""), tuple(lines), tuple(notes))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
