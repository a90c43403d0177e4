"""Carries out `pool audit`: finds the golds, puts the probes, sums up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich import progress

from curriculum_env.cli import settings as trees
from curriculum_env.cli.grading import grader
from curriculum_env.cli.render import console
from curriculum_env.cli.tables import show_sections
from curriculum_env.errors import ConfigError, PoolError, StateError
from curriculum_env.pool.audit import (
    FRAMES,
    AuditReport,
    Ruling,
    Subject,
    Tally,
    audit,
    readable_frames,
    sections,
)
from curriculum_env.pool.columns import pick
from curriculum_env.pool.content import answer_of, answers, prompt_text
from curriculum_env.pool.estimate import Grade
from curriculum_env.pool.estimate.session import shuffled
from curriculum_env.pool.sections import Section, markdown
from curriculum_env.types import Row

GOLDS = ("answer", "gold", "ground_truth", "target", "solution")
_EXACT = {"answer alone": FRAMES["answer alone"]}
_MATH = {name: frame for name, frame in FRAMES.items() if name != "answer alone"}


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be audited; `settings` are those of `--set`, `replies` the frames."""

    source: str | None = None
    taskset: str | None = None
    rubric: str = "math"
    gold: str | None = None
    replies: Sequence[str] = ()
    threshold: float = 0.5
    sample: int = 1000
    worst: int = 10
    settings: Sequence[str] = ()
    concurrency: int = 16

    @property
    def name(self) -> str:
        """What is audited, in words."""
        return f"the taskset {self.taskset}" if self.taskset else f"the rubric {self.rubric}"


def carry_out(order: Order, folder: Path) -> None:
    """Audit what `order` says and write the report to `folder`.

    Raises:
        CurriculumError: a setting cannot be used, or the pool or the taskset cannot be read.
    """
    if bool(order.source) == bool(order.taskset):
        raise ConfigError(
            "name what to audit: a pool, such as `curriculum-env pool audit pool.parquet`, or "
            "--taskset ID, and not both."
        )
    if any("{answer}" not in reply for reply in order.replies):
        raise ConfigError("--reply is a way to give an answer: it needs {answer} in it.")
    subjects, grade = _taskset(order) if order.taskset else _pool(order)
    report = asyncio.run(_audited(order, subjects, grade))
    show_sections(sections(report, order.worst, every=False))
    _write(report, sections(report, order.worst), folder)
    console.print(f"Report: {folder}", style="dim", soft_wrap=True)


async def _audited(order: Order, subjects: Sequence[Subject], grade: Grade) -> AuditReport:
    frames = await _frames(order, subjects, grade)
    tally = Tally(subjects, order.threshold)
    with progress.Progress(
        progress.TextColumn("{task.completed} probes"),
        progress.TimeElapsedColumn(),
        console=console,
    ) as bar:
        task = bar.add_task("", total=None)

        def told(ruling: Ruling) -> None:
            tally.add(ruling)
            bar.update(task, advance=1)

        await audit(subjects, grade, frames, concurrency=order.concurrency, told=told)
    return tally.report(order.name, list(frames))


async def _frames(order: Order, subjects: Sequence[Subject], grade: Grade) -> Mapping[str, str]:
    """The ways to give an answer: those asked for, those of the rubric, or those in which a
    taskset reads answers at all."""
    if order.replies:
        return {reply: reply for reply in order.replies}
    if not order.taskset:
        return _MATH if order.rubric == "math" else _EXACT
    read = await readable_frames(subjects, grade, FRAMES, order.threshold)
    if not read:
        console.print(
            "The taskset accepts the gold in none of the usual ways to say it: give its own with "
            "--reply, or name the right gold with --gold.",
            soft_wrap=True,
        )
    return read or FRAMES


def _pool(order: Order) -> tuple[list[Subject], Grade]:
    from curriculum_env.pool import load_rows

    grade = grader(order.rubric)
    rows: Sequence[Row] = load_rows(str(order.source))
    return [
        Subject(row, prompt_text(row.data["prompt"]), tuple(answers(row.data["answer"])))
        for row in _sampled(rows, order.sample)
    ], grade


def _taskset(order: Order) -> tuple[list[Subject], Grade]:
    from curriculum_env.adapters.verifiers.offline import OfflineTasks, Scorer

    tree = trees.assignments(order.settings).get("env", {})
    tasks = OfflineTasks(trees.merge(tree, {"taskset": {"id": order.taskset}}))
    subjects = []
    for row in _sampled(tasks.rows, order.sample):
        data = tasks.task(row).data
        golds = _golds(order, data.model_dump(mode="json"))
        subjects.append(Subject(row, data.prompt_text, golds))
    return subjects, Scorer(tasks).success


def _golds(order: Order, data: dict[str, Any]) -> tuple[str, ...]:
    paths = [order.gold] if order.gold else GOLDS
    found = next((value for path in paths if (value := pick(data, path)) is not None), None)
    if found is None:
        raise ConfigError(
            f"the data of a task of {order.taskset} has no {' or '.join(paths)}; expected the path "
            f"of the right answer, by --gold; there are {', '.join(sorted(data))}."
        )
    try:
        return tuple(answers(answer_of(found)))
    except PoolError as error:
        raise ConfigError(f"{error}: name the path of the right answer by --gold.") from error


def _sampled(rows: Sequence[Row], most: int) -> list[Row]:
    if not most or len(rows) <= most:
        return list(rows)
    return [rows[position] for position in sorted(shuffled(rows)[:most])]


def _write(report: AuditReport, tables: Sequence[Section], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(report), indent=2, ensure_ascii=False) + "\n"
        (folder / "report.json").write_text(text, encoding="utf-8")
        page = markdown(f"Audit of {report.rubric}", tables)
        (folder / "report.md").write_text(page, encoding="utf-8")
    except OSError as error:
        raise StateError(
            f"the report cannot be written to {folder} ({error.strerror or error}): make room, or "
            "name another folder with --output."
        ) from error
