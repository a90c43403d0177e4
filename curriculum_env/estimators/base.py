"""What an estimator promises. Implementations pass `curriculum_env.testing.EstimatorContract`."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np

from curriculum_env.types import FloatArray, IntArray, Row

Rows: TypeAlias = "IntArray | slice"
ALL: slice = slice(None)


class Beliefs(Protocol):
    """What a rule may read of an `Estimator`, of all its rows or of a part of them."""

    @property
    def now(self) -> float: ...

    @property
    def size(self) -> int: ...

    def mean(self, rows: Rows = ALL) -> FloatArray: ...

    def evidence(self, rows: Rows = ALL) -> FloatArray: ...

    def sample(self, rng: np.random.Generator, rows: Rows = ALL) -> FloatArray: ...

    def survival(self, group_size: int, rows: Rows = ALL) -> FloatArray: ...

    def gain(self, group_size: int, rows: Rows = ALL) -> FloatArray: ...

    def interval(self, mass: float = 0.9, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]: ...


class Estimator(ABC):
    """Beliefs about the pass rate of each row under the current policy, as arrays over rows.

    `now` counts policy updates: an estimator that forgets with age reads it, the engine sets it.
    Each column named in `COLUMNS` is a float64 array over rows; together they are the state.
    """

    COLUMNS: tuple[str, ...]
    generalises: ClassVar[bool] = False
    """Whether what rows have in common tells of a row never tried."""
    now: float = 0.0

    def __init__(self) -> None:
        self.forget_rows()

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(getattr(self, self.COLUMNS[0]))

    @abstractmethod
    def initial(self, rows: Sequence[Row]) -> dict[str, FloatArray]:
        """The columns of new rows, from their offline passes and attempts and whatever else they
        bring."""

    @abstractmethod
    def update(self, row: int, success_G: Sequence[float]) -> None:
        """Learn one group of successes in [0, 1], at least one of them; O(1)."""

    @abstractmethod
    def mean(self, rows: Rows = ALL) -> FloatArray:
        """The expected pass rate, in [0, 1]."""

    @abstractmethod
    def evidence(self, rows: Rows = ALL) -> FloatArray:
        """How many rollouts the belief is worth, 0 where nothing is known."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, rows: Rows = ALL) -> FloatArray:
        """One plausible pass rate for each row, drawn from the belief."""

    @abstractmethod
    def survival(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        """The probability, in [0, 1], that a group of `group_size` is not all alike."""

    def gain(self, group_size: int, rows: Rows = ALL) -> FloatArray:
        """E[p (1-p) S_G], in [0, 1/4] (`survival.gain`): S_2 / 2 + S_(G+1) - S_(G+2) under the
        belief, as p (1-p) (p^G + (1-p)^G) is what S_(G+2) has over S_(G+1)."""
        two, one_more, two_more = (
            self.survival(size, rows) for size in (2, group_size + 1, group_size + 2)
        )
        return np.maximum(two / 2.0 + one_more - two_more, 0.0)

    @abstractmethod
    def interval(self, mass: float = 0.9, rows: Rows = ALL) -> tuple[FloatArray, FloatArray]:
        """The central credible interval of the pass rate that holds `mass` of the belief."""

    @abstractmethod
    def discount(self, keep: float) -> None:
        """Keep only the share `keep` in [0, 1] of what was learned."""

    def add(self, rows: Sequence[Row]) -> None:
        """Append rows."""
        first = not self.size
        for column, values in self.initial(rows).items():
            joined = values if first else np.concatenate([getattr(self, column), values])
            setattr(self, column, joined)

    def preview(self, rows: Sequence[Row]) -> Self:
        """What would be believed of `rows`, and of no others, were they added now; to be read
        only."""
        twin = copy.copy(self)
        twin.forget_rows()
        twin.add(rows)
        return twin

    def forget_rows(self) -> None:
        """Be of no rows; what they have in common stays known."""
        for column in self.COLUMNS:
            setattr(self, column, np.empty(0))

    def get(self, row: int) -> tuple[float, ...]:
        """Everything that an `update` of this row changes, for `put`."""
        return tuple([getattr(self, column).item(row) for column in self.COLUMNS])

    def put(self, row: int, belief: tuple[float, ...]) -> None:
        """Restore what `get` returned; several are restored newest first."""
        for column, value in zip(self.COLUMNS, belief, strict=True):
            getattr(self, column)[row] = value

    def state_dict(self) -> dict[str, Any]:
        """What is believed beyond the columns, as JSON values."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:  # noqa: B027
        """Go on from what `state_dict` returned; the columns are already in place."""


def offline(rows: Sequence[Row]) -> tuple[FloatArray, FloatArray]:
    """The offline passes and attempts of each row (0 attempts: nothing is known)."""
    passes_N = np.fromiter((row.prior_passes for row in rows), np.float64, len(rows))
    attempts_N = np.fromiter((row.prior_attempts for row in rows), np.float64, len(rows))
    return passes_N, attempts_N
