"""An index of prompts that finds an earlier one which is the same task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curriculum_env.pool.answers import answer_keys
from curriculum_env.pool.profile import Profile, profile_of
from curriculum_env.pool.signatures import bands_of
from curriculum_env.pool.similar import Match, same_task

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUCKET = 8
"""Prompts of a bucket that later ones are compared with: its first."""
COMPARED = 32
"""Prompts at most that one is compared with: those that share most buckets with it."""


class Entry(NamedTuple):
    """A prompt of an index."""

    uid: str
    prompt: str
    profile: Profile
    answers: frozenset[str]
    source: str


class Buckets:
    """Which entries lie in which bucket."""

    def __init__(self) -> None:
        self._entries: dict[int, list[int]] = {}

    def add(self, number: int, bands: NDArray[np.uint64]) -> None:
        for band in bands.tolist():
            bucket = self._entries.setdefault(band, [])
            if band and len(bucket) < BUCKET:
                bucket.append(number)

    def candidates(self, bands: NDArray[np.uint64]) -> list[int]:
        """The entries that share a bucket, those that share most first, at most `COMPARED`."""
        shared: Counter[int] = Counter()
        for band in bands.tolist():
            shared.update(self._entries.get(band, ()))
        ranked = sorted(shared, key=lambda number: (-shared[number], number))
        return ranked[:COMPARED]


class NearIndex:
    """Finds near duplicates one prompt at a time.

    `match(prompt, answer)` gives the earlier prompt that is the same task, None where there is
    none; `add(uid, prompt, answer)` makes a prompt known. Answers are optional: two prompts whose
    answers are known and differ are never the same task.
    """

    def __init__(self) -> None:
        self._buckets = Buckets()
        self._entries: list[Entry] = []
        self._identities: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, uid: str, prompt: str, answer: str | Sequence[str] | None = None) -> None:
        """Make a prompt known under `uid`."""
        profile = profile_of(prompt)
        number = len(self._entries)
        self._entries.append(Entry(uid, prompt, profile, keys_of(answer), ""))
        self._identities.setdefault(profile.identity, number)
        self._buckets.add(number, bands_of(profile))

    def match(self, prompt: str, answer: str | Sequence[str] | None = None) -> Match | None:
        """The known prompt that is most like this one, if it is the same task."""
        profile = profile_of(prompt)
        same = self._identities.get(profile.identity)
        if same is not None:
            entry = self._entries[same]
            return Match(entry.uid, "exact", 1.0, entry.prompt, entry.source)
        found = best(profile, keys_of(answer), self._candidates(profile))
        return found and Match(found[1].uid, "near", found[0], found[1].prompt, found[1].source)

    def _candidates(self, profile: Profile) -> Iterable[Entry]:
        return (self._entries[number] for number in self._buckets.candidates(bands_of(profile)))


def best(
    profile: Profile, answers: frozenset[str], entries: Iterable[Entry]
) -> tuple[float, Entry] | None:
    """The entry that is the same task with the highest score; of equals the first."""
    scored = [(same_task(profile, e.profile, answers, e.answers), e) for e in entries]
    top = max((score for score, _ in scored), default=0.0)
    return next(((score, entry) for score, entry in scored if score == top), None) if top else None


def keys_of(answer: str | Sequence[str] | None) -> frozenset[str]:
    """The keys of an answer, of several, or of none."""
    if answer is None:
        return frozenset()
    return answer_keys([answer] if isinstance(answer, str) else list(answer))
