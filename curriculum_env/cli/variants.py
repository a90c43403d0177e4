"""The tasks made of others, as the store tells of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, TypeAlias

from curriculum_env.store.queue import AUGMENT_STATES, STATUS, QueueCounts

SILENT_SECONDS = 180.0
"""A service that gave no sign for so long is no more there: it gives one each minute."""

Said: TypeAlias = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Variants:
    """`states` and `discarded` and `quarantined` (by reason) count tasks; `accepted` is the share
    of those decided that were accepted, None before the first. `service` is what the service does
    (working, waiting, down, stopped; silent where it did not say that it ends, and gives no sign;
    empty where none ever ran), `why`, `since` when, and `sign` its last sign of life (Unix
    seconds). Of several services it is one that works, if any does."""

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
    sign: float | None


def variants(queue: QueueCounts, events: Said, now: float) -> Variants | None:
    """How the making of tasks stands at `now` (Unix seconds); None where none was ever asked
    for."""
    said = [event for event in events if event["kind"] == STATUS]
    if not said and not any(queue.states.values()):
        return None
    states: dict[str, int] = {state: queue.states[state] for state in AUGMENT_STATES}
    accepted = sum(states[state] for state in ("accepted", "inserted", "quarantined"))
    decided = accepted + states["discarded"]
    service, why, since, sign = _service(said, now)
    return Variants(
        states=states,
        discarded=_reasons(queue, "discarded"),
        quarantined=_reasons(queue, "quarantined"),
        accepted=accepted / decided if decided else None,
        requests=queue.spent.requests,
        tokens=queue.spent.tokens,
        money=queue.spent.money,
        service=service,
        why=why,
        since=since,
        sign=sign,
    )


def _service(said: Said, now: float) -> tuple[str, str, float | None, float | None]:
    """What the service does, why, since when, and when it last said so."""
    if not said:
        return "", "", None, None
    newest = _told(said, now)
    sign = float(newest["time"])
    if _silent(newest, now):
        return "silent", f"last seen {newest['state']}", sign, sign
    own = (event for event in reversed(said) if event.get("name") == newest.get("name"))
    same = takewhile(lambda event: _what(event) == _what(newest), own)
    since = min(float(event["time"]) for event in same)
    return (*_what(newest), since, sign)


def _told(said: Said, now: float) -> Mapping[str, Any]:
    """The newest event; where it tells of an end, that of a service that goes on, if one does."""
    if said[-1]["state"] != "stopped":
        return said[-1]
    of_each = {event["name"]: event for event in said if event.get("name")}
    going = [e for e in of_each.values() if e["state"] != "stopped" and not _silent(e, now)]
    return max(going, key=lambda event: float(event["time"]), default=said[-1])


def _what(event: Mapping[str, Any]) -> tuple[str, str]:
    return event["state"], event["reason"]


def _silent(event: Mapping[str, Any], now: float) -> bool:
    return event["state"] != "stopped" and now - float(event["time"]) > SILENT_SECONDS


def _reasons(queue: QueueCounts, of: str) -> dict[str, int]:
    """The most frequent first."""
    found = [(reason, count) for (state, reason), count in queue.reasons.items() if state == of]
    return dict(sorted(found, key=lambda pair: (-pair[1], pair[0])))
