"""The rows in order, found by uid and by bucket."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from curriculum_env.errors import PoolError
from curriculum_env.types import Row, is_uid


class Pool(Sequence[Row]):
    """An append-only sequence of rows with distinct uids.

    Raises:
        PoolError: something is no row, is malformed, or has the uid of an earlier row.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows: list[Row] = []
        self._index: dict[str, int] = {}
        self.find: Callable[[str], int | None] = self._index.get
        """The position of the row of that uid, or None."""
        self.buckets: Counter[tuple[str, str]] = Counter()
        self.add(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Row:  # type: ignore[override]
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def index(self, uid: str) -> int:  # type: ignore[override]
        """The position of the row `uid`; raises KeyError where there is none."""
        return self._index[uid]

    def add(self, rows: Iterable[Row]) -> list[Row]:
        """Append `rows` (all or, where one is refused, none) and return them."""
        added = list(rows)
        fresh: dict[str, int] = {}
        for position, row in enumerate(added):
            check_row(row, position)
            if row.uid in self._index or row.uid in fresh:
                earlier = self._index.get(row.uid, len(self) + fresh.get(row.uid, 0))
                raise PoolError(
                    f"rows {earlier} and {len(self) + position} have the same uid {row.uid!r}; "
                    "expected distinct tasks: remove the duplicate or give it a uid of its own"
                )
            fresh[row.uid] = position
        for uid, position in fresh.items():
            self._index[uid] = len(self._rows) + position
        self._rows.extend(added)
        self.buckets.update((row.domain, row.level) for row in added)
        return added

    def uids(self) -> np.ndarray[tuple[int], np.dtype[np.bytes_]]:
        """The uids in order, as bytes."""
        return np.array([row.uid.encode() for row in self._rows])


def _plain(text: str) -> bool:
    """Whether every store can hold the text: valid Unicode without NUL."""
    return "\0" not in text and not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


def check_row(row: Row, position: int) -> None:
    """Raise `PoolError` where `row` cannot be trained on."""
    if not isinstance(row, Row):
        raise PoolError(f"row {position} is a {type(row).__name__}; expected a curriculum_env.Row")
    uid: object = row.uid
    if not (isinstance(uid, str) and is_uid(uid)):
        raise PoolError(
            f"row {position} has uid {str(row.uid)[:40]!r}; expected an ASCII string of 1 to "
            "256 characters, such as curriculum_env.content_uid(row.data)"
        )
    for name in ("domain", "level"):
        value: object = getattr(row, name)
        if not (isinstance(value, str) and _plain(value)):
            raise PoolError(
                f"row {position} ({row.uid}) has {name} {value!r}; expected text: "
                f"write str({name}), or leave it out"
            )
    if not isinstance(row.data, Mapping):
        raise PoolError(
            f"row {position} ({row.uid}) has data of type {type(row.data).__name__}; "
            "expected a mapping of JSON values"
        )
    if not (math.isfinite(row.prior_attempts) and 0 <= row.prior_passes <= row.prior_attempts):
        raise PoolError(
            f"row {position} ({row.uid}) has prior_passes={row.prior_passes} of "
            f"prior_attempts={row.prior_attempts}; expected 0 <= passes <= attempts, both finite"
        )
    parent: object = row.parent
    if not (parent == "" or (isinstance(parent, str) and is_uid(parent))):
        raise PoolError(
            f"row {position} ({row.uid}) has parent {str(parent)[:40]!r}; expected the uid of "
            "another row, or an empty string"
        )
    if not (math.isfinite(row.factor) and row.factor > 0):
        raise PoolError(
            f"row {position} ({row.uid}) has factor {row.factor}; expected a finite number above 0"
        )
