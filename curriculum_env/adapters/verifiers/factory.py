"""`curriculum(InnerTaskset)`: the curriculum form of a taskset class, for a package of its own."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any

import verifiers.v1 as vf
from pydantic import create_model
from verifiers.v1.utils.generic import concrete_type

from curriculum_env.adapters.verifiers.data import CurriculumTasksetConfig
from curriculum_env.adapters.verifiers.derive import (
    InnerPoolConfig,
    InnerRows,
    recording_config,
    recording_task,
)


class DerivedTasksetConfig(CurriculumTasksetConfig):
    """Joined with the inner taskset's own settings, which keep their names."""

    pool: InnerPoolConfig = InnerPoolConfig()


def curriculum(inner: type[Any]) -> type[Any]:
    """`inner` with its tasks drawn by their rewards.

    A package around it is four lines, and keeps the inner Env and Harness:

        from curriculum_env import curriculum
        from gsm8k import GSM8KEnv, GSM8KTaskset
        CurriculumGSM8K = curriculum(GSM8KTaskset)
        __all__ = ["CurriculumGSM8K", "GSM8KEnv"]

    Its config is the inner one's with `split`, `curriculum`, `pool` and `task.store` added.
    """
    task, config = recording_task(inner.task_type()), derived_config(inner)
    taskset: Any = vf.Taskset

    def inner_tasks(self: Any) -> Iterable[vf.Task]:
        tasks: Iterable[vf.Task] = inner.load(self)
        return tasks

    namespace = {
        "__module__": inner.__module__,
        "__doc__": inner.__doc__,
        "inner_tasks": inner_tasks,
        "INNER_INFINITE": inner.INFINITE,
    }
    return types.new_class(
        f"Curriculum{inner.__name__}",
        (InnerRows, inner, taskset[task, config]),
        exec_body=lambda body: body.update(namespace),
    )


def derived_config(inner: type[Any]) -> type[vf.TasksetConfig]:
    """The inner taskset's config joined with the curriculum's; inner defaults stand."""
    config = concrete_type(inner, vf.TasksetConfig, origin=vf.Taskset) or vf.TasksetConfig
    task: Any = recording_config(inner.task_type().config_type())
    default = config.model_fields["task"].get_default(call_default_factory=True)
    return create_model(
        f"Curriculum{config.__name__}",
        __base__=(DerivedTasksetConfig, config),
        __module__=config.__module__,
        task=(task, task.model_validate(default.model_dump())),
    )
