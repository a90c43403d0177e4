"""The second step: prompts that are the same, with the same answer or with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curriculum_env.pool.cleaning.shards import Records

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Found(NamedTuple):
    """Of every record: the one it matches, -1 for none, shape (N,); and how well."""

    match_N: NDArray[np.int64]
    score_N: NDArray[np.float64]


def none_found(records: int) -> Found:
    """Nothing matches."""
    return Found(np.full(records, -1, np.int64), np.zeros(records))


def exact(records: Records) -> tuple[Found, Found]:
    """The exact duplicates, each with the first of its kind, and the contradictions, each with a
    record of the same prompt that has another answer."""
    duplicates, contradictions = none_found(len(records)), none_found(len(records))
    alive = np.flatnonzero(records.alive())
    identities = records.column("identity_hash")[alive]
    keys = records.column("answer_hash")[alive]
    order = np.argsort(identities, kind="stable")
    for group in _groups(identities[order]):
        members = alive[order[group]]
        alike = (keys[order[group]] == keys[order[group][0]]).all()
        against = None if alike else _contradicted(records, members.tolist())
        found = duplicates if against is None else contradictions
        chosen = members[1:] if against is None else members
        found.match_N[chosen] = members[0] if against is None else against
        found.score_N[chosen] = 1.0
    return duplicates, contradictions


def _contradicted(records: Records, members: list[int]) -> list[int] | None:
    """For each member the first whose answers have none in common with its own; None where some
    answer is accepted by all."""
    answers = [frozenset(records.text("answer_keys", at).split(" | ")) for at in members]
    if frozenset.intersection(*answers):
        return None
    return [
        next(
            (at for at, other in zip(members, answers, strict=True) if not own & other), members[0]
        )
        for own in answers
    ]


def _groups(ordered: NDArray[np.uint64]) -> list[slice]:
    """The runs of two or more equal values."""
    if not len(ordered):
        return []
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    ends = np.r_[starts[1:], len(ordered)]
    large = ends - starts > 1
    return [slice(*run) for run in zip(starts[large].tolist(), ends[large].tolist(), strict=True)]
