"""What is told of the service that makes new tasks."""

from __future__ import annotations

from typing import Any

import pytest

from curriculum_env.cli.render import variants_lines
from curriculum_env.cli.variants import SILENT_SECONDS, Variants, variants
from curriculum_env.store.queue import AUGMENT_STATES, STATUS, QueueCounts, Spent

NOW = 1.7e9
COUNTS = QueueCounts(dict.fromkeys(AUGMENT_STATES, 1), {}, Spent(3, 40))


def event(ago: float, state: str, name: str = "one", reason: str = "") -> dict[str, Any]:
    return {"kind": STATUS, "time": NOW - ago, "state": state, "reason": reason, "name": name}


def told(*events: dict[str, Any]) -> Variants:
    found = variants(COUNTS, events, NOW)
    assert found is not None
    return found


def test_a_state_that_is_repeated_began_with_the_first() -> None:
    found = told(event(900, "waiting"), event(300, "working"), event(70, "working"))
    assert (found.service, found.since, found.sign) == ("working", NOW - 300, NOW - 70)


def test_who_gives_no_sign_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: NOW)
    found = told(event(900, "waiting"), event(600, "working"))
    line = variants_lines(found)[-1]
    assert line == "their service: silent (last seen working), since 10 minutes ago"
    live = variants_lines(told(event(SILENT_SECONDS, "working")))[-1]
    assert live == "their service: working, since 3 minutes ago; last sign 3 minutes ago"


def test_an_end_that_was_told_is_no_silence() -> None:
    assert told(event(9_000, "working"), event(8_000, "stopped")).service == "stopped"


def test_of_several_services_one_that_lives_is_told_of() -> None:
    ended = event(10, "stopped", "other")
    found = told(event(100, "working"), event(90, "down", "other", "HTTP 503"), ended)
    assert (found.service, found.since) == ("working", NOW - 100)
    assert told(event(900, "working"), ended).service == "stopped"
    assert told(event(30, "waiting", ""), ended).service == "stopped"
