"""Values that a database refuses, among others that it takes."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from curriculum_env.recorder import Recorder
from curriculum_env.store import open_store
from curriculum_env.testing.store import drain, make_outcomes
from curriculum_env.types import Outcome


def poisoned(outcome: Outcome, kind: str) -> Outcome:
    if kind == "surrogate":
        return replace(outcome, model="\ud800")
    return replace(outcome, tokens=1 << 80)


@pytest.mark.parametrize("kind", ["surrogate", "huge"])
def test_one_bad_outcome_holds_up_no_other(
    kind: str, shared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    good = make_outcomes("good", 20)
    recorder = Recorder(shared_url)
    for outcome in (*good[:9], poisoned(replace(good[0], rollout_id="bad"), kind), *good[9:]):
        recorder.record_nowait(outcome)
    assert recorder.flush(10.0)
    assert recorder.unwritten == recorder.dropped == 1
    recorder.close()
    with closing(open_store(shared_url)) as store:
        assert {o.rollout_id for o in drain(store.reader())} == {o.rollout_id for o in good}
        assert [event["count"] for event in store.events("unwritten")] == [1]
    assert "The outcome of rollout bad is dropped" in caplog.text


def test_postgres_refuses_a_nul(postgres_url: str, caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder(postgres_url)
    for outcome in (Outcome(0, "u", "bad", 1.0, model="\0"), Outcome(0, "u", "good", 1.0)):
        recorder.record_nowait(outcome)
    assert recorder.flush(10.0)
    recorder.close()
    with closing(open_store(postgres_url)) as store:
        assert [o.rollout_id for o in drain(store.reader())] == ["good"]
