"""Recording versions of somebody else's task, its data and its settings."""

from __future__ import annotations

import hashlib
import itertools
import logging
import types
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import verifiers.v1 as vf
from pydantic import Field
from pydantic_config import BaseConfig
from verifiers.v1.state import state_cls

from curriculum_env.adapters.verifiers.data import CurriculumTaskConfig, CurriculumTaskData
from curriculum_env.adapters.verifiers.task import CurriculumTaskMixin
from curriculum_env.adapters.verifiers.taskset import CurriculumMixin
from curriculum_env.errors import ConfigError
from curriculum_env.types import Row, content_uid, is_uid

logger = logging.getLogger(__name__)

INFINITE_POOL = 10_000


class InnerPoolConfig(BaseConfig):
    """How the rows are made from the inner taskset's tasks."""

    size: int | None = Field(None, ge=1)
    """Tasks read from the inner taskset; unset, all of them, or 10,000 of an infinite one."""
    domain: str = ""
    """Field of the task data that names a row's domain."""
    level: str = ""
    """Field of the task data that names a row's level."""
    heldout: float = Field(0.0, ge=0, lt=1)
    """Share of the rows set apart for `split = "heldout"`, by a hash of the uid: a row stays
    on its side when the dataset grows."""


class InnerRows(CurriculumMixin):
    """Rows from the tasks of an inner taskset."""

    INNER_INFINITE = False

    @abstractmethod
    def inner_tasks(self) -> Iterable[vf.Task]:
        """The inner taskset's own tasks; may be endless."""

    def rows(self) -> Iterator[Row]:
        return (row for row in self._pool() if not self._is_heldout(row))

    def heldout_rows(self) -> Iterator[Row]:
        if not self.config.pool.heldout:
            raise ConfigError(
                "split is 'heldout' but pool.heldout is 0: set pool.heldout to the share of "
                "tasks to hold out, the same for training and evaluation."
            )
        return (row for row in self._pool() if self._is_heldout(row))

    def _pool(self) -> Iterator[Row]:
        seen: set[str] = set()
        repeated = 0
        pool = self.config.pool
        size = pool.size or (INFINITE_POOL if self.INNER_INFINITE else None)
        for task in itertools.islice(self.inner_tasks(), size):
            row = row_of(task, pool)
            if row.uid in seen:
                repeated += 1
                continue
            seen.add(row.uid)
            yield row
        if repeated:
            logger.info("Left out %d tasks of %s that repeat another.", repeated, type(self))

    def _is_heldout(self, row: Row) -> bool:
        digest = hashlib.sha256(row.uid.encode()).digest()
        share: float = self.config.pool.heldout
        return int.from_bytes(digest[:8], "big") < share * 2**64


def row_of(task: vf.Task, pool: InnerPoolConfig) -> Row:
    """The row of an inner task: its own key as uid if it defines one that can be a uid, else
    its content's.

    Raises:
        ConfigError: the task's data has no field of the name that `pool.level` or `pool.domain`
            gives.
    """
    data = task.data.model_dump(mode="json", exclude={"idx"})
    key = "" if type(task).key is vf.Task.key else task.key
    uid = key if is_uid(key) else content_uid(data)
    level, domain = _label(data, "level", pool.level), _label(data, "domain", pool.domain)
    return Row(uid=uid, data=data, domain=domain, level=level)


def _label(data: Mapping[str, Any], setting: str, field: str) -> str:
    """The value of the field that `pool.SETTING` names; empty where it names none."""
    if field and field not in data:
        raise ConfigError(
            f"pool.{setting} is {field!r}, which the data of a task does not have; expected one "
            f"of {', '.join(sorted(data))}."
        )
    return str(data[field]) if field else ""


@cache
def recording_data(inner: type[vf.TaskData]) -> type[vf.TaskData]:
    """`inner` with a place in the curriculum."""
    return _subclass(inner, (CurriculumTaskData, inner))


@cache
def recording_config(inner: type[vf.TaskConfig]) -> type[vf.TaskConfig]:
    """`inner` with the store's URL."""
    return _subclass(inner, (CurriculumTaskConfig, inner))


@cache
def recording_task(inner: type[vf.Task]) -> type[vf.Task]:
    """`inner` with its rollouts recorded."""
    data, config = recording_data(inner.data_type()), recording_config(inner.config_type())
    return _subclass(inner, (CurriculumTaskMixin, inner, vf.Task[data, state_cls(inner), config]))


def _subclass(inner: type[Any], bases: tuple[Any, ...]) -> type[Any]:
    """A class that looks like `inner` in traces and logs."""
    namespace = {"__module__": inner.__module__, "__doc__": inner.__doc__}
    return types.new_class(inner.__name__, bases, exec_body=lambda body: body.update(namespace))
