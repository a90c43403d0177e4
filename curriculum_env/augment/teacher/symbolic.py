"""The environment computes the answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from curriculum_env.augment.attempt import attempt_async
from curriculum_env.augment.hooks import Solver
from curriculum_env.augment.proposal import Annotation, Discard
from curriculum_env.types import Row


@dataclass(slots=True)
class SymbolicTeacher:
    """Asks the environment's solver, in a thread of its own, one problem at a time. A problem
    on which it raises is discarded."""

    solver: Solver
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def annotate(self, parent: Row, problem: str) -> Annotation | Discard:
        async with self._turn:
            return await attempt_async(lambda: asyncio.to_thread(self.solver, parent, problem))

    async def close(self) -> None:
        """Nothing is open."""
