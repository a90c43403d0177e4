"""A sampler for loops that read their prompts through `torch.utils.data.DataLoader`."""

from __future__ import annotations

import itertools
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from torch.utils.data import Sampler

from curriculum_env.engine import Curriculum
from curriculum_env.errors import RewardError
from curriculum_env.types import Draw, Outcome, Status


class CurriculumSampler(Sampler[int]):
    """Draws the positions of a map-style data set, `curriculum.rows` in the same order:

        sampler = CurriculumSampler(curriculum, length=1000)
        for batch in DataLoader(dataset, batch_size=16, sampler=sampler):
            for index, reward_G in ...:      # G rollouts of each prompt of the batch
                sampler.tell(index, reward_G)

    A DataLoader asks for indices ahead of the batch it hands over: with W workers and a prefetch
    factor of P, each batch is chosen before the rewards of the W x P batches ahead of it. Without
    workers it has seen all of them but those of its own batch. `metrics` says what it was. It runs
    in the process that iterates the DataLoader; in a distributed job that is one rank, which sends
    the prompts to the others.
    """

    def __init__(self, curriculum: Curriculum, length: int | None = None) -> None:
        """`length` is how many draws one pass gives; None: it never ends.

        Raises:
            ValueError: the length is below one.
        """
        if length is not None and length < 1:
            raise ValueError(f"length is {length}; expected at least 1, or None for no end")
        self.curriculum = curriculum
        self._length = length
        self._open: dict[int, deque[Draw]] = {}
        self._owed: deque[Draw] = deque()
        self._draws = self._waiting = self._behind = self._behind_most = 0

    def __iter__(self) -> Iterator[int]:
        turns = itertools.count() if self._length is None else range(self._length)
        for _ in turns:
            yield self._next()

    def __len__(self) -> int:
        """Draws of one pass; TypeError where it never ends."""
        if self._length is None:
            raise TypeError("the sampler has no length: it never ends")
        return self._length

    def tell(self, index: int, reward_G: Sequence[float | None]) -> None:
        """The rewards of the rollouts of the earliest open draw of row `index`; None for a rollout
        that failed and teaches nothing.

        Raises:
            RewardError: no draw of that row is open, or a reward is not finite.
        """
        index = int(index)
        rewards = [None if reward is None else float(reward) for reward in reward_G]
        if index not in self._open:
            raise RewardError(
                f"row {index} has no open draw; expected the index of a prompt that the loader "
                "gave, told once: tell all rollouts of a prompt together"
            )
        if wrong := [reward for reward in rewards if reward is not None and not isfinite(reward)]:
            raise RewardError(
                f"a rollout of row {index} has reward {wrong[0]}; expected a finite number, or "
                "None for a rollout that could not be graded"
            )
        draw = self._open[index][0]
        mark = uuid.uuid4().hex
        for number, reward in enumerate(rewards):
            status: Status = "error" if reward is None else "ok"
            self.curriculum.tell(Outcome(draw.number, draw.uid, f"{mark}-{number}", reward, status))
        self._open[index].popleft()
        if not self._open[index]:
            del self._open[index]
        self._waiting -= 1

    def metrics(self) -> dict[str, float]:
        """`open_draws` now; `staleness_mean` and `staleness_max`: how many draws made earlier were
        still without rewards when one was made."""
        return {
            "open_draws": self._waiting,
            "staleness_mean": self._behind / max(self._draws, 1),
            "staleness_max": self._behind_most,
        }

    def state_dict(self) -> dict[str, Any]:
        """The curriculum's state, and the draws whose rewards were not told: JSON values, and NumPy
        `arrays`, as `curriculum_env.engine.save_state` takes them."""
        waiting = [draw for draws in self._open.values() for draw in draws]
        owed = sorted((*waiting, *self._owed), key=lambda draw: draw.number)
        state = self.curriculum.state_dict()
        return {**state, "owed": [asdict(draw) for draw in owed]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from `state_dict`: the draws that were not told are given out again, first; those
        that a DataLoader had asked for ahead are among them.

        Raises:
            StateError, PoolError: as `Curriculum.load_state_dict`.
        """
        plain = dict(state)
        owed = plain.pop("owed", [])
        self.curriculum.load_state_dict(plain)
        self._open, self._waiting = {}, 0
        self._owed = deque(Draw(**fields) for fields in owed)

    def _next(self) -> int:
        draw = self._owed.popleft() if self._owed else self.curriculum.ask()
        index = self.curriculum.rows.index(draw.uid)
        self._draws += 1
        self._behind += self._waiting
        self._behind_most = max(self._behind_most, self._waiting)
        self._waiting += 1
        self._open.setdefault(index, deque()).append(draw)
        return index
