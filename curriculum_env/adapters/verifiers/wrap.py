"""`curriculum-wrap`: any installed taskset with its tasks drawn by their rewards, no code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import verifiers.v1 as vf
from pydantic import SerializeAsAny, model_validator
from verifiers.v1.utils.loaders import (
    load_taskset,
    narrow_plugin_field,
    taskset_class,
    taskset_config_type,
)

from curriculum_env.adapters.verifiers.data import CurriculumTasksetConfig
from curriculum_env.adapters.verifiers.derive import (
    InnerPoolConfig,
    InnerRows,
    recording_task,
)
from curriculum_env.errors import ConfigError


class CurriculumWrapConfig(CurriculumTasksetConfig):
    """Settings of `CurriculumWrap`; `inner` keeps its own, names and all."""

    inner: SerializeAsAny[vf.TasksetConfig] = vf.TasksetConfig()
    """The taskset to draw from, by its id, with its own settings."""
    pool: InnerPoolConfig = InnerPoolConfig()

    @model_validator(mode="before")
    @classmethod
    def _narrow_inner(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("inner") is not None:
            data = dict(data)
            narrow_plugin_field(data, "inner", taskset_config_type)
        return data


class CurriculumWrap(InnerRows, vf.Taskset[vf.Task, CurriculumWrapConfig]):
    """Draws from `config.inner`. Each instance has a class of its own, bound to that config.

    The inner package's Env and Harness are not picked up: name them with `--env.id` and
    `--env.agent.harness.id`, or derive a package with `curriculum(InnerTaskset)`.
    """

    def __new__(cls, config: CurriculumWrapConfig | None = None) -> Self:
        bound: Any = cls if config is None else _bound(cls, config)
        made: Self = super().__new__(bound, config)
        return made

    def inner_tasks(self) -> Iterable[vf.Task]:
        tasks: Iterable[vf.Task] = load_taskset(self.config.inner)
        return tasks


def _bound(wrapper: type[Any], config: CurriculumWrapConfig) -> type[Any]:
    """`wrapper` for one config: verifiers asks the class for its task type and its tools."""
    if not config.inner.id:
        raise ConfigError(
            "taskset.inner.id is not set, expected the id of an installed taskset: "
            'set inner = { id = "..." }'
        )
    inner = taskset_class(config.inner.id)
    task = _bound_task(inner.task_type(), config)
    namespace = {
        "__module__": wrapper.__module__,
        "__doc__": wrapper.__doc__,
        "INNER_INFINITE": inner.INFINITE,
        "task_type": classmethod(lambda cls: task),
        "toolsets": classmethod(lambda cls, _: inner.toolsets(config.inner)),
    }
    return type(wrapper.__name__, (wrapper,), namespace)


def _bound_task(inner: Any, config: CurriculumWrapConfig) -> type[vf.Task]:
    """The recording task, reading the inner taskset's task settings, not the wrapper's."""
    recording = recording_task(inner)
    settings = recording.config_type().model_validate(
        {**config.inner.task.model_dump(), **config.task.model_dump(exclude_unset=True)}
    )

    def init(self: Any, data: vf.TaskData, config: vf.TaskConfig | None = None) -> None:
        recording.__init__(self, data, settings)

    namespace = {
        "__module__": inner.__module__,
        "__doc__": inner.__doc__,
        "__init__": init,
        "toolsets": classmethod(lambda cls, _: recording.toolsets(settings)),
    }
    return type(inner.__name__, (recording,), namespace)
