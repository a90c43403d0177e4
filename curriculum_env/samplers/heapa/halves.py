"""The scored rows: a hard half and an easy one, and the boundary between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from curriculum_env.samplers.heapa.ends import GREATEST, LEAST, Ends, Keyed

TOLERANCE, MOVES = 1, 4

Allowed = Callable[[int], bool]


class Candidate(NamedTuple):
    """A row taken from a half."""

    half: Ends
    row: int
    key: float


class Halves:
    """`low`, whose top is its easiest row, and `high`, whose top is its hardest.

    After each operation rows move over the boundary, at most 4, until `low` holds `alpha` of them,
    give or take one.
    """

    def __init__(self, alpha: float) -> None:
        self._alpha = alpha
        self.low, self.high = Ends(GREATEST), Ends(LEAST)

    def __len__(self) -> int:
        return len(self.low) + len(self.high)

    def fill(self, rows: Sequence[int], keys: Sequence[float]) -> None:
        """Start anew with these, split where `alpha` says; among equals, in this order."""
        order = np.argsort(np.array(keys), kind="stable").tolist()
        split = round(self._alpha * len(order))
        for half, part in ((self.low, order[:split]), (self.high, order[split:])):
            half.fill([rows[i] for i in part], [keys[i] for i in part])

    def insert(self, row: int, key: float) -> None:
        """Put in a row that is in neither half: into `high` where that is empty or the row is
        easier than its hardest, else into `low`."""
        self._push(row, key)
        self.rebalance()

    def _push(self, row: int, key: float) -> None:
        hardest = self.high.first(LEAST)
        easy = hardest is None or key > hardest.key
        (self.high if easy else self.low).push(row, key)

    def replace(self, row: int, key: float) -> Keyed:
        """Put in a row that is in neither half, and take out the hardest row there is then."""
        self._push(row, key)
        evicted = self.low.pop(LEAST) or self.high.pop(LEAST)
        assert evicted is not None
        self.rebalance()
        return evicted

    def pop_easiest(self) -> Keyed | None:
        """Take out the easiest row of `high` or, where that is empty, of `low`."""
        return self.high.pop(GREATEST) or self.low.pop(GREATEST)

    def discard(self, row: int) -> None:
        """Take the row out, if it is in."""
        self.low.discard(row)
        self.high.discard(row)
        self.rebalance()

    def rebalance(self) -> None:
        """Move at most 4 rows over the boundary toward the target."""
        excess = len(self.low) - round(self._alpha * len(self))
        if abs(excess) <= TOLERANCE:
            return
        source, target = (self.low, self.high) if excess > 0 else (self.high, self.low)
        for _ in range(min(abs(excess), MOVES)):
            moved = source.pop(source.near)
            if moved is not None:
                target.push(*moved)

    def boundary(
        self, need: int, allowed: Allowed, rng: np.random.Generator
    ) -> tuple[list[int], float]:
        """Take out `need` allowed rows (fewer if there are fewer), and the chance of each to be the
        first: uniformly from up to 2 x `need`, the top of `high` and of `low` in turn. The others
        go back to their half, behind their equals."""
        barred: list[Candidate] = []
        found: list[Candidate] = []
        for turn in range(2 * need):
            halves = (self.low, self.high) if turn % 2 else (self.high, self.low)
            candidate = self._next(halves[0], allowed, barred)
            candidate = candidate or self._next(halves[1], allowed, barred)
            if candidate is None:
                break
            found.append(candidate)
        count = len(found)
        chosen = rng.choice(count, min(need, count), replace=False).tolist() if count else []
        out = set(chosen)
        _put_back([*(one for i, one in enumerate(found) if i not in out), *barred])
        self.rebalance()
        return [found[i].row for i in chosen], 1.0 / max(count, 1)

    def easiest(self, need: int, allowed: Allowed) -> list[int]:
        """Take out the `need` easiest allowed rows of `high` (fewer if there are fewer)."""
        barred: list[Candidate] = []
        found: list[int] = []
        while len(found) < need and (easy := self.high.pop(GREATEST)) is not None:
            if allowed(easy.row):
                found.append(easy.row)
            else:
                barred.append(Candidate(self.high, *easy))
        _put_back(barred)
        return found

    def _next(self, half: Ends, allowed: Allowed, barred: list[Candidate]) -> Candidate | None:
        while (top := half.pop(half.near)) is not None:
            candidate = Candidate(half, *top)
            if allowed(candidate.row):
                return candidate
            barred.append(candidate)
        return None


def _put_back(candidates: Sequence[Candidate]) -> None:
    for half, row, key in candidates:
        half.push(row, key)
