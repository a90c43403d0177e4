"""The trainer's side: a taskset that is an endless generator driven by its own rewards."""

from __future__ import annotations

import copy
import itertools
import uuid
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import verifiers.v1 as vf

from curriculum_env.adapters.verifiers.augmenting import admission, serve_variants
from curriculum_env.adapters.verifiers.data import CurriculumTasksetConfig, Placement
from curriculum_env.adapters.verifiers.gold import gold_accepted
from curriculum_env.augment.hooks import AugmentHooks
from curriculum_env.errors import ConfigError, PoolError
from curriculum_env.types import Draw, Row

Generator: TypeAlias = Callable[[int], Row | None]

if TYPE_CHECKING:
    from curriculum_env.config import CurriculumConfig
    from curriculum_env.engine import Curriculum

    class _Base(vf.Taskset[Any, Any]):
        """What the mixin is mixed into."""
else:
    _Base = ABC


class _Live:
    """The curriculum of one taskset and all its views, and the draws it gave so far."""

    def __init__(self) -> None:
        self.memory = f"memory://{uuid.uuid4().hex}"
        self.curriculum: Curriculum | None = None
        self.draws: list[Draw] = []


class CurriculumMixin(AugmentHooks, _Base):
    """Makes a taskset draw its tasks by what their rollouts earned. It goes first:

        class MyTaskset(CurriculumMixin, vf.Taskset[MyTask, MyTasksetConfig]):
            def rows(self) -> Iterable[Row]: ...
            def heldout_rows(self) -> Iterable[Row]: ...

    `MyTask` derives from `CurriculumTaskMixin`, its data from `CurriculumTaskData` and
    `MyTasksetConfig` from `CurriculumTasksetConfig`. Nothing is read or opened before the
    taskset is iterated, so a worker that only rebuilds tasks costs nothing. Iterating again
    (or through a view) replays the draws given so far, then goes on drawing.
    """

    INFINITE = True

    def __new__(cls, config: CurriculumTasksetConfig | None = None) -> Self:
        kind: Any = cls
        made: Self = object.__new__(_finite(kind) if _heldout(config) else kind)
        return made

    def __init__(self, config: CurriculumTasksetConfig) -> None:
        super().__init__(config)
        self._live = _Live()

    @abstractmethod
    def rows(self) -> Iterable[Row]:
        """The pool to train on. Called once per process that iterates the taskset."""

    def heldout_rows(self) -> Iterable[Row]:
        """The fixed evaluation split, of which no uid may be among `rows()`."""
        raise ConfigError(
            f"{type(self).__name__} has no held-out split, but split = 'heldout' asks for it: "
            "define heldout_rows(), or evaluate on another taskset."
        )

    def generator(self) -> Generator | None:
        """What makes rows beyond those of `rows()`: a function that gives the candidate of a number
        (0, 1, 2, ...), the same each time, or None where there is none. The candidates for which
        the most signal is predicted join the pool on the way, as `curriculum.generate` says;
        held-out rows never do. By default there is none.
        """
        return None

    def task(self, row: Row) -> vf.Task:
        """The task of a row: by default `row.data` as the task's data."""
        task = type(self).task_type()
        return task(task.data_type().model_validate(dict(row.data)), self.config.task)

    async def augment_accepts(self, row: Row) -> bool | None:
        """What the task's own `validate` says, where it has one that needs no runtime."""
        return await gold_accepted(self.task(row))

    @property
    def curriculum(self) -> Curriculum:
        """The engine, opened on first use.

        Raises:
            PoolError: the rows are empty, duplicated or not what the task's data expects.
            OwnerError: another living process draws from the same store.
            StoreError: the store cannot be opened.
        """
        if self._live.curriculum is None:
            self._live.curriculum = self._open()
        return self._live.curriculum

    def load(self) -> Iterator[vf.Task]:
        """Tasks for ever (`split = "train"`), or the held-out tasks once."""
        if _heldout(self.config):
            return self.heldout_tasks()
        return self._drawn(self.curriculum)

    def checked(self, rows: Iterable[Row]) -> Iterator[Row]:
        """`rows`, each of which makes a task; raises `PoolError` at one that does not."""
        for row in _iterated(rows, type(self).__name__):
            try:
                self.task(row)
            except (TypeError, ValueError, KeyError) as error:
                raise PoolError(
                    f"The row {row.uid!r} does not make a {type(self).task_type().__name__} "
                    f"({error}): give `data` the fields that its task data declares."
                ) from error
            yield row

    def proposals(self) -> Generator | None:
        """The generator, but for what is held out and what makes no task."""
        generator = self.generator()
        if generator is None:
            return None
        held_out = {row.uid for row in self.kept_out()}

        def propose(number: int) -> Row | None:
            row = generator(number)
            if row is None or row.uid in held_out:
                return None
            self.task(row)
            return row

        return propose

    def kept_out(self) -> list[Row]:
        """The held-out rows; none where there is no such split."""
        with suppress(ConfigError):
            return list(self.heldout_rows())
        return []

    def heldout_tasks(self) -> Iterator[vf.Task]:
        """The held-out tasks; raises `PoolError` where they share a row with `rows()`."""
        rows = list(self.checked(self.heldout_rows()))
        if shared := {row.uid for row in rows} & {row.uid for row in self.rows()}:
            raise PoolError(
                f"{len(shared)} rows are both in the training pool and held out (first: "
                f"{min(shared)!r}), expected none: leave them out of rows()."
            )
        return (self.placed(row, position, None) for position, row in enumerate(rows))

    def placed(self, row: Row, position: int, draw: int | None) -> vf.Task:
        """The task of a row with its place: the draw's number, or None where rollouts are not
        recorded."""
        task = copy.copy(self.task(row))
        place = Placement(uid=row.uid, draw=draw, domain=row.domain, level=row.level)
        task.data = task.data.model_copy(update={"curriculum": place, "idx": position})
        if draw is not None and self.config.task.store is None:
            task.config = task.config.model_copy(update={"store": self._live.memory})
        return task

    def opened(self, settings: CurriculumConfig, store: str | None) -> Curriculum:
        """A new curriculum over the rows, and what makes variants of them beside it; whoever opens
        it closes it. Raises as `curriculum` does, and `ConfigError` for a rule that wants unequal
        groups, and for variants that the taskset cannot make."""
        from curriculum_env.engine import Curriculum

        if settings.sampler.type == "speed":
            raise ConfigError(
                "curriculum.sampler.type is 'speed', which asks for 4 rollouts of a task, then "
                "for 20 more, but a trainer of verifiers gives all tasks the same number; "
                "expected another rule, or a loop of your own around Curriculum.ask and tell."
            )
        rows = self._with_priors(self.checked(self.rows()))
        curriculum = Curriculum(
            rows, settings, store, generator=self.proposals(), admit=admission(self, settings)
        )
        serve_variants(self, curriculum, store)
        return curriculum

    def close(self) -> None:
        """Release the store; the taskset cannot be iterated further."""
        if self._live.curriculum is not None:
            self._live.curriculum.close()

    def _with_priors(self, rows: Iterator[Row]) -> Iterator[Row]:
        if self.config.priors is None:
            return rows
        from curriculum_env.pool.estimate.priors import with_priors

        return with_priors(rows, Path(self.config.priors).expanduser())

    def _open(self) -> Curriculum:
        store = self.config.task.store or self._live.memory
        curriculum = self.opened(self.config.curriculum, store)
        weakref.finalize(self._live, curriculum.close)
        return curriculum

    def _drawn(self, curriculum: Curriculum) -> Iterator[vf.Task]:
        given = self._live.draws
        for position in itertools.count():
            if position == len(given):
                given.append(curriculum.ask())
            draw = given[position]
            yield self.placed(curriculum.row(draw.uid), position, draw.number)


def _iterated(rows: object, taskset: str) -> Iterator[Row]:
    """The rows that the code of a taskset gave, each checked to be one."""
    from curriculum_env.pool.pool import check_row

    if not isinstance(rows, Iterable):
        raise PoolError(
            f"the rows of {taskset} are a {type(rows).__name__}; expected an iterable of "
            "curriculum_env.Row: return or yield them."
        )
    for position, row in enumerate(rows):
        check_row(row, position)
        yield row


def _heldout(config: CurriculumTasksetConfig | None) -> bool:
    return config is not None and config.split == "heldout"


@cache
def _finite(taskset: Any) -> Any:
    """`taskset` with `INFINITE = False`: trainers read it from the class, not the instance."""
    namespace = {"INFINITE": False, "__module__": taskset.__module__, "__doc__": taskset.__doc__}
    return type(taskset.__name__, (taskset,), namespace)
