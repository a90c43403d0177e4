"""The values that travel between the rooms. All are frozen; all survive JSON.

Shape suffixes used throughout: `_N` rows of the pool, `_K` rows asked for, `_G` rollouts of
one group, `_B` groups.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"
IntArray: TypeAlias = "NDArray[np.int64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"

Status: TypeAlias = Literal["ok", "error", "cancelled"]
STATUSES: tuple[Status, ...] = ("ok", "error", "cancelled")


def content_uid(data: Mapping[str, Any]) -> str:
    """The first 16 hex digits of the sha256 of `data` as canonical JSON.

    Raises:
        TypeError: `data` holds a value JSON cannot carry.
    """
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def is_uid(uid: str) -> bool:
    """Whether every store and trainer takes `uid`: 1 to 256 ASCII characters, none of them NUL."""
    return 0 < len(uid) <= 256 and uid.isascii() and "\0" not in uid


@dataclass(frozen=True, slots=True)
class Row:
    """One task of the pool.

    `data` is the task's own payload (JSON values). `uid` identifies the row by content, so a
    reordered or grown dataset keeps its beliefs. `domain` and `level` name the row's bucket.
    `features` are what an estimator or a sampler may read without parsing the payload.
    `prior_passes` of `prior_attempts` offline rollouts succeeded (both 0: nothing known).
    `parent` is the uid of the row it is a variant of ("": none), and `factor` > 0 how difficult it
    was meant to be, relative to that row (1: alike).
    """

    uid: str
    data: Mapping[str, Any]
    domain: str = ""
    level: str = ""
    features: Mapping[str, Any] = field(default_factory=dict)
    prior_passes: float = 0.0
    prior_attempts: float = 0.0
    parent: str = ""
    factor: float = 1.0

    @property
    def bucket(self) -> tuple[str, str]:
        return (self.domain, self.level)


@dataclass(frozen=True, slots=True)
class Draw:
    """A row handed out for one group of rollouts; it is a lease on that row.

    `number` is unique within a store and rises by one with each draw. `propensity` is the
    probability in (0, 1] with which the rule would have picked this row first. `time` is Unix
    seconds. `domain` and `level` are the row's bucket, so that a store can be read by itself.
    `rollouts` is how many are asked for, 0 for the trainer's own group size; `continues` is the
    number of the draw whose group these rollouts join, if any.
    """

    number: int
    uid: str
    propensity: float
    time: float
    domain: str = ""
    level: str = ""
    rollouts: int = 0
    continues: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rollout of a draw earned.

    `rollout_id` is the trace id; recording is idempotent on it. `reward` is finite for status
    `ok` and None otherwise. `draw` is the number of the `Draw` and `uid` its row.
    """

    draw: int
    uid: str
    rollout_id: str
    reward: float | None
    status: Status = "ok"
    tokens: int = 0
    turns: int = 0
    model: str = ""
    wall_time: float = 0.0
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """The graded rollouts of one draw: `success_G` in [0, 1], one entry for each rollout with
    status `ok` (errors are left out, so it may be shorter than the group size, or empty).
    `invalid` of them, with success 0, were answers that could not be graded: they earned the
    invalid reward, outside the range of the others."""

    draw: int
    row: int
    success_G: tuple[float, ...]
    invalid: int = 0

    @property
    def alive(self) -> bool:
        """Whether the group carries a gradient: its successes are not all the same."""
        return len(set(self.success_G)) > 1
