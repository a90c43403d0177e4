"""Carries out `pool estimate`: checks, serves, drives, draws its progress, sums up."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.logging import RichHandler
from verifiers.v1.clients import EvalClientConfig
from verifiers.v1.types import SamplingConfig

from curriculum_env.adapters.verifiers.offline import EpisodePlayer, OfflineTasks
from curriculum_env.adapters.verifiers.runner.endpoint import require_endpoint
from curriculum_env.cli import settings as trees
from curriculum_env.cli.driving import drive
from curriculum_env.cli.estimate_progress import EstimateProgress
from curriculum_env.cli.folding import Folding
from curriculum_env.cli.grading import grader
from curriculum_env.cli.interrupts import interrupts
from curriculum_env.cli.render import console
from curriculum_env.cli.tables import show_sections
from curriculum_env.errors import ConfigError
from curriculum_env.local import serve_policy
from curriculum_env.pool.estimate import (
    Asking,
    ChatPlayer,
    EstimateSession,
    Grade,
    Pace,
    Settings,
)
from curriculum_env.pool.estimate.estimation import Estimation
from curriculum_env.types import Row

_DONE, _OWED, _INTERRUPTED = 0, 3, 130


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be estimated, against which model; `settings` are those of `--set`."""

    source: str | None = None
    taskset: str | None = None
    model: str | None = None
    base_url: str | None = None
    policy: str | None = None
    api_key_var: str = "OPENAI_API_KEY"
    rubric: str = "math"
    prompt: str = "{prompt}"
    system: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)
    settings: Sequence[str] = ()
    limit: int | None = None
    per_minute: float | None = None
    retries: int = 4
    timeout: float = 300.0

    @property
    def env(self) -> dict[str, Any]:
        """The `[env]` of the taskset."""
        tree = trees.assignments(self.settings).get("env", {})
        return trees.merge(tree, {"taskset": {"id": self.taskset}})

    @property
    def identity(self) -> dict[str, Any]:
        """What the rollouts depend on."""
        common = {"model": self.model, "sampling": dict(self.sampling)}
        if self.taskset:
            return {**common, "env": self.env}
        return {**common, "rubric": self.rubric, "prompt": self.prompt, "system": self.system}


def carry_out(order: Order, settings: Settings, folder: Path, *, resume: bool) -> int:
    """Estimate what `order` says in `folder`; returns the exit code.

    Raises:
        CurriculumError: a setting cannot be used, the model cannot be reached, the pool cannot be
            read, or `folder` holds another estimate.
    """
    order = _checked(order, settings)
    folding = _log()
    with ExitStack() as stack:
        tasks = OfflineTasks(order.env, order.limit) if order.taskset else None
        rows = tasks.rows if tasks else _rows(order)
        session = EstimateSession(rows, folder, order.identity, settings, resume=resume)
        stack.enter_context(closing(session))
        order = _served(order, settings, stack)
        require_endpoint(_client(order), str(order.model))
        interrupts.heed()
        playing = _Playing(session, order, tasks, settings)
        with EstimateProgress(session) as progress:
            playing.told = progress.told
            interrupted = asyncio.run(drive(playing, progress.note))
        for line in folding.summary():
            console.print(line, style="dim", no_wrap=True, overflow="ellipsis")
        return _sum_up(session, pools=tasks is None, interrupted=interrupted)


def _sum_up(session: EstimateSession, *, pools: bool, interrupted: bool) -> int:
    report = session.report(interrupted=interrupted)
    show_sections(session.sections(report))
    session.write(report, pools=pools)
    folder = session.folder
    console.print(f"Rollouts, priors and report: {folder}", style="dim", soft_wrap=True)
    if report.owed or interrupted:
        console.print(
            f"{report.owed} rollouts are owed: go on with the same command, --resume and "
            f"--output {shlex.quote(str(folder))}",
            soft_wrap=True,
        )
    if session.estimation and session.estimation.unwritten:
        raise session.estimation.unwritten
    if interrupted:
        return _INTERRUPTED
    return _OWED if report.owed else _DONE


class _Playing:
    """The rollouts of a session, as something to be driven."""

    def __init__(
        self, session: EstimateSession, order: Order, tasks: OfflineTasks | None, settings: Settings
    ) -> None:
        self.told: Callable[[str], None] = lambda status: None
        self._session, self._order, self._tasks = session, order, tasks
        self._pace = Pace(order.per_minute, settings.patience)
        self._estimation: Estimation | None = None
        self._stopping = False

    def stop(self) -> None:
        """Start no further rollout; those in flight finish."""
        self._stopping = True
        if self._estimation is not None:
            self._estimation.stop()

    def run(self) -> Coroutine[Any, Any, None]:
        """Play them."""
        return self._episodes(self._tasks) if self._tasks else self._replies()

    async def _replies(self) -> None:
        order = self._order
        grade = grader(order.rubric)
        asking = Asking(str(order.model), order.prompt, order.system, order.sampling)
        async with ChatPlayer(
            asking,
            str(order.base_url),
            os.environ.get(order.api_key_var) or "none",
            self._pace,
            retries=order.retries,
            timeout=order.timeout,
        ) as player:
            await self._play(player, grade)

    async def _episodes(self, tasks: OfflineTasks) -> None:
        order = self._order
        sampling = SamplingConfig.model_validate(order.sampling)
        player = EpisodePlayer(tasks, str(order.model), _client(order), sampling, self._pace)
        async with player:
            await self._play(player, _graded_already)

    async def _play(self, player: Any, grade: Grade) -> None:
        self._estimation = self._session.prepare(player, grade, self.told, self._pace)
        if self._stopping:
            self._estimation.stop()
        await self._estimation.run()


async def _graded_already(row: Row, reply: str) -> float:
    raise AssertionError("an episode comes with its success")


def _checked(order: Order, settings: Settings) -> Order:
    """The order with the name of its model, if it can be carried out.

    Raises:
        ConfigError: it cannot.
    """
    if bool(order.source) == bool(order.taskset):
        raise ConfigError(
            "name what to estimate: a pool, such as `curriculum-env pool estimate pool.parquet`, "
            "or --taskset ID, and not both."
        )
    if order.policy and order.base_url:
        raise ConfigError("--policy serves a model of its own: leave out --base-url, or --policy.")
    if not order.policy and not order.base_url:
        raise ConfigError(
            "no model to estimate with: give --base-url and --model, or --policy smollm2."
        )
    model = order.model or (order.policy and Path(order.policy).stem)
    if not model:
        raise ConfigError("no model was named: give --model as the endpoint calls it.")
    _check_budget(order, settings)
    return replace(order, model=model)


def _check_budget(order: Order, settings: Settings) -> None:
    depth, prices = settings.depth, settings.prices
    if depth.max_k < depth.k:
        raise ConfigError(f"--max-k is {depth.max_k} and -k {depth.k}; expected --max-k >= -k.")
    if settings.money is not None and not (prices.prompt or prices.completion):
        raise ConfigError("--budget-money needs --price-prompt and --price-completion.")
    limited = settings.money is not None or settings.tokens is not None
    sampling = order.sampling
    if limited and not (sampling.get("max_tokens") or sampling.get("max_completion_tokens")):
        raise ConfigError(
            "a budget needs --max-tokens, so that what is in flight is known to fit into it."
        )


def _rows(order: Order) -> Sequence[Row]:
    from curriculum_env.pool import load_rows

    return load_rows(str(order.source), limit=order.limit)


def _served(order: Order, settings: Settings, stack: ExitStack) -> Order:
    """The order against its local policy, which is served from here on, if it has one."""
    if order.policy is None:
        return order
    console.print(f"Serving {order.policy} on this machine ...", style="dim")
    slots = min(settings.concurrency, 16)
    policy = stack.enter_context(serve_policy(order.policy, slots=slots))
    return replace(order, base_url=policy.base_url, model=policy.model)


def _client(order: Order) -> EvalClientConfig:
    return EvalClientConfig(base_url=order.base_url, api_key_var=order.api_key_var)


def _log() -> Folding:
    handler, folding = RichHandler(console=console, show_time=False, show_path=False), Folding()
    handler.addFilter(folding)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
    return folding
