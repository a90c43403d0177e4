"""The tasks of any installed taskset, once each, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

from curriculum_env.adapters.verifiers.derive import INFINITE_POOL, InnerPoolConfig, row_of
from curriculum_env.adapters.verifiers.runner.config import described
from curriculum_env.adapters.verifiers.taskset import CurriculumMixin
from curriculum_env.config import CurriculumConfig
from curriculum_env.errors import ConfigError, CurriculumError, PoolError
from curriculum_env.types import Row


class OfflineTasks:
    """The Env of `settings` (verifiers' `[env]`), its rows, and the task of each.

    Of a taskset with a curriculum these are the rows of its split, of any other its tasks, known
    by their content as `curriculum-wrap` knows them; at most `limit`, of an endless taskset 10,000
    where it is None. Their rollouts are recorded nowhere.

    Raises:
        ConfigError: the taskset is not installed, or a setting cannot be used.
        PoolError: it has no task.
    """

    def __init__(self, settings: Mapping[str, Any], limit: int | None = None) -> None:
        self.env: Any = _loaded(settings)
        self.taskset: Any = self.env.taskset
        self.rows: list[Row] = []
        self._tasks: dict[str, vf.Task] = {}
        for row, task in islice(self._all(limit), limit):
            if row.uid not in self._tasks:
                self.rows.append(row)
                self._tasks[row.uid] = task
        if not self.rows:
            raise PoolError(
                f"taskset {self.taskset.config.id!r} has no task; expected at least one"
            )

    @property
    def curriculum(self) -> CurriculumConfig:
        """The settings that say what a reward is worth."""
        config = getattr(self.taskset.config, "curriculum", None)
        return config if isinstance(config, CurriculumConfig) else CurriculumConfig()

    def task(self, row: Row) -> vf.Task:
        """The task of one of the rows."""
        return self._tasks[row.uid]

    def _all(self, limit: int | None) -> Iterator[tuple[Row, vf.Task]]:
        taskset = self.taskset
        if isinstance(taskset, CurriculumMixin):
            heldout = taskset.config.split == "heldout"
            rows = taskset.checked(taskset.heldout_rows() if heldout else taskset.rows())
            return ((row, taskset.placed(row, i, None)) for i, row in enumerate(rows))
        endless = INFINITE_POOL if taskset.INFINITE and limit is None else None
        pool = InnerPoolConfig()
        return ((row_of(task, pool), task) for task in islice(iter(taskset), endless))


def _loaded(settings: Mapping[str, Any]) -> Any:
    taskset = settings["taskset"]["id"]
    try:
        return load_environment(resolve_env_config(dict(settings)))
    except CurriculumError:
        raise
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"no taskset {taskset!r} is installed ({error}): see `curriculum-env env list`."
        ) from error
    except Exception as error:  # whatever an environment's own code raises when it is made
        raise ConfigError(f"taskset {taskset!r} cannot be loaded ({described(error)}).") from error
