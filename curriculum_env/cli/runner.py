"""Carries out a run: checks, serves, drives, draws its progress, sums up."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.logging import RichHandler

from curriculum_env.adapters.verifiers.runner import RunConfig, Session, TraceFile, resolve
from curriculum_env.adapters.verifiers.runner.endpoint import require_endpoint
from curriculum_env.augment.reach import require_teacher
from curriculum_env.cli import settings
from curriculum_env.cli.driving import drive
from curriculum_env.cli.folding import Folding
from curriculum_env.cli.interrupts import interrupts
from curriculum_env.cli.progress import Progress
from curriculum_env.cli.render import console, show_run
from curriculum_env.cli.settings import Tree
from curriculum_env.cli.stored import all_outcomes, graded
from curriculum_env.cli.variants import Variants, variants
from curriculum_env.config import CurriculumConfig
from curriculum_env.engine.reward_scale import RewardScale
from curriculum_env.errors import ConfigError, CurriculumError, RefillError, StoreError
from curriculum_env.local import serve_policy
from curriculum_env.report import Beliefs, Ledger, RefillReport, RunReport, build_report
from curriculum_env.snapshot import write_snapshot
from curriculum_env.store import open_store
from curriculum_env.store.queue import STATUS

logger = logging.getLogger(__name__)

_DONE, _OWED, _INTERRUPTED = 0, 3, 130


def start(tree: Tree, folder: Path, *, resume: bool) -> int:
    """Run what `tree` describes in `folder`; returns the exit code.

    Raises:
        ConfigError: a setting cannot be used, the model cannot be reached, or `folder` holds
            another run.
    """
    folding = _log(resume=resume)
    config = resolve(tree)
    _require_folder(folder, config, resume=resume)
    curriculum: CurriculumConfig = config.env.taskset.curriculum
    ledger = Ledger(config.group_size, RewardScale(curriculum).success)
    progress = Progress(ledger, config.groups * config.group_size)
    with ExitStack() as stack:
        session = stack.enter_context(closing(Session(config, folder, progress, resume=resume)))
        _open(session, stack)
        interrupts.heed()
        with progress:
            interrupted = asyncio.run(drive(session, progress.note))
        for line in folding.summary():
            console.print(line, style="dim", no_wrap=True, overflow="ellipsis")
        session.settle()
        report, made = _report(session, ledger), _variants(session)
        failure = _unwritten(session, report, made)
    stopped = failure is not None and not isinstance(failure, RefillError)
    show_run(report, folder, interrupted=interrupted or stopped, variants=made)
    if failure:
        raise failure
    if interrupted:
        return _INTERRUPTED
    return _OWED if report.errors else _DONE


def _log(*, resume: bool) -> Folding:
    """Warnings go above the progress bar, each once, but for those that tell what was asked for."""
    handler, folding = RichHandler(console=console, show_time=False, show_path=False), Folding()
    handler.addFilter(folding)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
    if resume:
        logging.getLogger("curriculum_env.engine.resume").setLevel(logging.ERROR)
    return folding


def _open(session: Session, stack: ExitStack) -> None:
    """Have the model, the folder, the pool and the store ready before the first rollout."""
    session.config = _served(session.config, stack)
    require_endpoint(session.config.client, session.config.model)
    _require_teacher(session)
    _make(session.folder)
    try:
        session.open()
    except StoreError:
        _require_unused(session.config)
        raise
    settings.save(session.config.model_dump(mode="json"), session.folder)


def _require_teacher(session: Session) -> None:
    augment = session.config.env.taskset.curriculum.augment
    if session.taskset.INFINITE and augment.service == "thread":
        asyncio.run(require_teacher(augment))


def _require_folder(folder: Path, config: RunConfig, *, resume: bool) -> None:
    if not resume:
        if not TraceFile(folder).empty:
            raise ConfigError(
                f"{folder} already holds a run: go on with it by --resume, or name another "
                "folder with --output."
            )
        return
    old = settings.frozen(settings.saved(folder))
    new = settings.frozen(config.model_dump(mode="json"))
    if changed := settings.difference(old, new):
        raise ConfigError(
            f"{folder} was started with {changed.path} = {_value(changed.one)}, now it is "
            f"{_value(changed.other)}: their rollouts could not be compared; resume with the run's "
            "own settings, or start afresh with another --output."
        )


def _require_unused(config: RunConfig) -> None:
    """Say, in the words of the command line, that a new run needs a store without draws."""
    taskset: Any = config.env.taskset
    if taskset.curriculum.resume != "never":
        return
    with closing(open_store(taskset.task.store)) as store:
        if drawn := store.counts()["draws"]:
            raise ConfigError(
                f"{store.url} already holds {drawn} draws: go on with their run by --resume, start "
                "a new one that keeps their beliefs by --set taskset.curriculum.resume=warm, or "
                "name another with --store."
            )


def _value(setting: Any) -> str:
    return "unset" if setting is None else json.dumps(setting)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"the folder {folder} cannot be made ({error.strerror or error}): name another with "
            "--output."
        ) from error


def _served(config: RunConfig, stack: ExitStack) -> RunConfig:
    """The run against its local policy, which is served from here on, if it has one."""
    if config.policy is None:
        return config
    console.print(f"Serving {config.policy} on this machine ...", style="dim")
    policy = stack.enter_context(serve_policy(config.policy, slots=min(config.concurrency, 16)))
    client = config.client.model_copy(update={"base_url": policy.base_url})
    return config.model_copy(update={"client": client, "model": policy.model})


def _variants(session: Session) -> Variants | None:
    """The tasks made of others, once the run's own service has ended."""
    curriculum = session.curriculum
    if curriculum is None:
        return None
    store = curriculum.store
    try:
        return variants(store.queue.counts(), store.events(STATUS), time.time())
    except StoreError as error:
        logger.warning("What was made of other tasks cannot be read: %s", error)
        return None


def _unwritten(
    session: Session, report: RunReport, made: Variants | None
) -> CurriculumError | None:
    """Write the report and the difficulty of all tasks; returns why something was not written."""
    failure: CurriculumError | None = session.failure
    folder, curriculum = session.folder, session.curriculum
    try:
        _write(asdict(report) | {"variants": made and asdict(made)}, folder / "report.json")
        if curriculum is not None:
            rollouts = graded(all_outcomes(curriculum.store), curriculum.config)
            write_snapshot(curriculum, folder / "difficulty.parquet", rollouts)
    except CurriculumError as error:
        failure = failure or error
    return failure


def _write(report: Tree, path: Path) -> None:
    try:
        path.write_text(json.dumps(report, indent=2) + "\n")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror or error}): make room, or let it be "
            "written."
        ) from error


def _report(session: Session, ledger: Ledger) -> RunReport:
    curriculum: Any = session.curriculum
    if curriculum is None:
        return build_report(ledger)
    survival_N = curriculum.estimator.survival(ledger.group_size)
    beliefs = Beliefs(
        survival=lambda uid: float(survival_N[curriculum.rows.index(uid)]),
        uniform=float(survival_N.mean()),
    )
    pool = Counter(row.bucket for row in curriculum.rows)
    return build_report(ledger, pool=pool, beliefs=beliefs, refill=_refill(session))


def _refill(session: Session) -> RefillReport | None:
    if session.refilled is None:
        return None
    figures = session.refilled.refill.metrics()
    return RefillReport(
        groups=session.refilled.groups,
        batch=tuple(session.batch),
        rho=figures["rho"],
        oversampling=figures["oversampling"],
        discarded=int(figures["discarded"]),
        lost=int(figures["lost"]),
        carried=int(figures["carried"]),
    )
