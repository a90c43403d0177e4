"""Why each record stays or goes, after all steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from curriculum_env.pool.cleaning.duplicates import Found, none_found
from curriculum_env.pool.cleaning.shards import Records, Replacing

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT, CONTRADICTION, NEAR = "duplicate", "contradiction", "near-duplicate"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The findings of the steps that compare records with each other."""

    duplicates: Found
    contradictions: Found
    near: Found

    def line(self, records: Records, position: int, line: Mapping[str, Any]) -> dict[str, Any]:
        """The record as it stays (`reason` None) or goes."""
        found = dict(line)
        if found["reason"] is not None:
            return found
        for reason, findings in self._named():
            match = int(findings.match_N[position])
            if match >= 0:
                kept = match if reason == CONTRADICTION else self.kept(match)
                return found | {
                    "reason": reason,
                    "detail": _detail(records, reason, position, match),
                    "match_uid": records.text("uid", kept),
                    "match_prompt": records.text("prompt", kept),
                    "match_source": records.text("where", kept),
                    "score": float(findings.score_N[position]),
                }
        return found

    def _named(self) -> Iterator[tuple[str, Found]]:
        yield CONTRADICTION, self.contradictions
        yield EXACT, self.duplicates
        yield NEAR, self.near

    def kept(self, position: int) -> int:
        """The record that stays for the one at `position`."""
        while True:
            earlier = max(int(self.duplicates.match_N[position]), int(self.near.match_N[position]))
            if earlier < 0:
                return position
            position = earlier


def _detail(records: Records, reason: str, position: int, match: int) -> str:
    if reason != CONTRADICTION:
        return ""
    return " against ".join(records.text("answer_keys", at) for at in (position, match))


def undecided(records: Records, duplicates: Found, contradictions: Found) -> NDArray[np.bool_]:
    """The records that are still to be compared for near duplicates, shape (N,)."""
    return records.alive() & (duplicates.match_N < 0) & (contradictions.match_N < 0)


def save(found: Found, path: Path) -> None:
    """Write findings to a file, all at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Replacing(path) as partial, partial.open("wb") as file:
        at = np.flatnonzero(found.match_N >= 0)
        np.savez(file, at=at, match=found.match_N[at], score=found.score_N[at])


def load(paths: Iterable[Path], records: int) -> Found:
    """The findings of all the files together."""
    found = none_found(records)
    for path in paths:
        with np.load(path) as stored:
            found.match_N[stored["at"]] = stored["match"]
            found.score_N[stored["at"]] = stored["score"]
    return found
