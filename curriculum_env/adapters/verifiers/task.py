"""The worker's side: a task whose rollouts are recorded."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import verifiers.v1 as vf

from curriculum_env.adapters.verifiers.data import Placement
from curriculum_env.adapters.verifiers.recording import record_scored, watch

if TYPE_CHECKING:

    class _Base(vf.Task[Any, Any, Any]):
        """What the mixin is mixed into."""
else:
    _Base = object

Hook = Callable[..., Awaitable[None]]


@cache
def _parameters(hook: Hook) -> frozenset[str]:
    return frozenset(inspect.signature(hook).parameters)


def _accepted(hook: Hook, **available: Any) -> dict[str, Any]:
    """Those of `available` that `hook` takes: verifiers lets a hook leave some out."""
    return {name: available[name] for name in available.keys() & _parameters(hook)}


def _watched(setup: Hook) -> Hook:
    """`setup`, noting the rollout first. Only the most derived override of a class acts."""

    async def watched(self: CurriculumTaskMixin, trace: vf.Trace, runtime: vf.Runtime) -> None:
        if type(self).setup is watched and (lease := self.lease):
            watch(trace, *lease)
        await setup(self, **_accepted(setup, trace=trace, runtime=runtime))

    return watched


def _recorded(score: Hook) -> Hook:
    """`score`, recording the rollout after it. Only the most derived override acts."""

    async def recorded(
        self: CurriculumTaskMixin, trace: vf.Trace, runtime: vf.Runtime | None = None
    ) -> None:
        await score(self, trace, runtime)
        if type(self).score is recorded and runtime is not None and (lease := self.lease):
            await record_scored(trace, *lease)

    return recorded


class CurriculumTaskMixin(_Base):
    """Records what each rollout of a drawn task earned. It goes before `vf.Task`:

        class MyTask(CurriculumTaskMixin, vf.Task[MyData, vf.State, CurriculumTaskConfig]): ...

    A scored rollout is recorded when its scoring ends; one that failed, ran out of time or
    was cancelled is recorded without a reward when its asyncio task ends. Replays,
    validations and tasks without a draw number leave no row. `setup` and `score` may be
    overridden as on any task, with or without `super()`.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, recording in (("setup", _watched), ("score", _recorded)):
            if name in vars(cls):
                setattr(cls, name, recording(vars(cls)[name]))

    @property
    def placement(self) -> Placement | None:
        """The task's place in the curriculum; None on a task built by hand."""
        return getattr(self.data, "curriculum", None)

    @property
    def lease(self) -> tuple[Placement, str] | None:
        """The place and the store to record it in; None when rollouts are not recorded."""
        store: str | None = getattr(self.config, "store", None)
        if self.placement is None or self.placement.draw is None or store is None:
            return None
        return self.placement, store

    @property
    def key(self) -> str:
        """The row's uid: the same on every redraw, whatever `idx` and the draw number."""
        return self.placement.uid if self.placement else super().key

    @_watched
    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        setup = super().setup
        await setup(**_accepted(setup.__func__, trace=trace, runtime=runtime))

    @_recorded
    async def score(self, trace: vf.Trace, runtime: vf.Runtime | None = None) -> None:
        await super().score(trace, runtime)
