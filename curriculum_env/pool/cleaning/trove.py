"""The steps of a build as datatrove pipelines, on this machine, a Slurm cluster or Ray.

Every step is a pipeline of its own that waits for the one before; the tasks of a step share
nothing but the work folder, which all machines must see. The memory a task needs is that of its
part of the records. The result is that of `build_pool`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from curriculum_env.errors import ConfigError
from curriculum_env.pool.cleaning.report import BuildReport
from curriculum_env.pool.cleaning.settings import BuildSettings
from curriculum_env.pool.cleaning.steps import WORK, Steps

try:
    from datatrove import executor as executors
    from datatrove.pipeline.base import PipelineStep
except ImportError as error:
    raise ConfigError("datatrove is missing: pip install 'curriculum-env[datatrove]'") from error

STEPS = ("read", "exact", "near", "finish")
_SINGLE = ("exact", "finish")


class Stage(PipelineStep):
    """One step of a build as a step of a datatrove pipeline."""

    type = "curriculum-env"

    def __init__(self, name: str, steps: Steps) -> None:
        super().__init__()
        self.name, self.steps = name, steps

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> None:
        """Run the step; of `read` and `near` part number `rank`."""
        if self.name == "read":
            self.steps.read(rank, world_size)
        elif self.name == "exact":
            self.steps.compare_exact()
        elif self.name == "near":
            self.steps.compare_near(rank)
        else:
            self.steps.finish()


def build_with_datatrove(
    settings: BuildSettings,
    output: Path,
    *,
    executor: str = "local",
    options: Mapping[str, Any] | None = None,
    tasks: int = 0,
    processes: int = 0,
    resume: bool = True,
) -> BuildReport | None:
    """Build a pool as `build_pool` does, with `tasks` tasks of datatrove's executor.

    `options` go to the executor. Returns the report; None with Slurm, whose jobs come later.

    Raises:
        ConfigError: datatrove is missing, or an option is not one of the executor's.
        PoolError: a source cannot be read.
    """
    workers = processes or os.cpu_count() or 1
    steps = Steps(settings, output.absolute(), parts=tasks or workers)
    with steps.alone():
        logs = steps.output / f"{WORK}-logs"
        if not (resume and steps.work.exists()):
            shutil.rmtree(logs, ignore_errors=True)
        steps.begin(resume=resume)
        last = None
        for name in STEPS:
            count = 1 if name in _SINGLE else steps.parts
            known = {"workers": workers, **(options or {}), "tasks": count, "depends": last}
            known["logging_dir"] = str(logs / f"{name}-{count}")
            last = _executor(executor, [Stage(name, steps)], known)
            if executor != "slurm":
                last.run()
        if executor == "slurm" and last is not None:
            last.run()
            return None
    return _report(output)


def _executor(kind: str, pipeline: list[Stage], options: dict[str, Any]) -> Any:
    name = f"{kind.capitalize()}PipelineExecutor"
    try:
        return getattr(executors, name)(pipeline=pipeline, **options)
    except TypeError as error:
        raise ConfigError(
            f"datatrove's {name} refuses its options ({error}); see its documentation"
        ) from error


def options_of(settings: Iterable[str]) -> dict[str, Any]:
    """Options of the form `NAME=VALUE`; a value that is JSON is taken as such.

    Raises:
        ConfigError: one is of another form.
    """
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.isidentifier():
            raise ConfigError(
                f"executor option {setting!r} is not of the form NAME=VALUE, such as time=02:00:00"
            )
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options


def _report(output: Path) -> BuildReport:
    told = (output / "report.json").read_text(encoding="utf-8")
    return BuildReport.from_json(json.loads(told))
