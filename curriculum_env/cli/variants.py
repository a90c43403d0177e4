"""The tasks made of others, as the store tells of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curriculum_env.augment.service import STATUS
from curriculum_env.store.queue import AUGMENT_STATES, QueueCounts


@dataclass(frozen=True, slots=True)
class Variants:
    """`states` and `discarded` and `quarantined` (by reason) count tasks; `accepted` is the share
    of those decided that were accepted, None before the first. `service` is what the service does
    (working, waiting, down, stopped; empty where none ever ran), `why`, and `since` when (Unix
    seconds)."""

    states: Mapping[str, int]
    discarded: Mapping[str, int]
    quarantined: Mapping[str, int]
    accepted: float | None
    requests: int
    tokens: int
    money: float
    service: str
    why: str
    since: float | None


def variants(queue: QueueCounts, events: Sequence[Mapping[str, Any]]) -> Variants | None:
    """How the making of tasks stands; None where none was ever asked for."""
    said = [event for event in events if event["kind"] == STATUS]
    if not said and not any(queue.states.values()):
        return None
    states: dict[str, int] = {state: queue.states[state] for state in AUGMENT_STATES}
    accepted = sum(states[state] for state in ("accepted", "inserted", "quarantined"))
    decided = accepted + states["discarded"]
    newest = said[-1] if said else {}
    return Variants(
        states=states,
        discarded=_reasons(queue, "discarded"),
        quarantined=_reasons(queue, "quarantined"),
        accepted=accepted / decided if decided else None,
        requests=queue.spent.requests,
        tokens=queue.spent.tokens,
        money=queue.spent.money,
        service=newest.get("state", ""),
        why=newest.get("reason", ""),
        since=newest.get("time"),
    )


def _reasons(queue: QueueCounts, of: str) -> dict[str, int]:
    """The most frequent first."""
    found = [(reason, count) for (state, reason), count in queue.reasons.items() if state == of]
    return dict(sorted(found, key=lambda pair: (-pair[1], pair[0])))
